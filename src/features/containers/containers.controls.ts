import type { ActionEntities } from '../../core/action.ts';
import { buttonControl, uniqueKeys } from '../../core/readings/entities.ts';
import type { ContainerVerb } from './containers.verbs.ts';

const labels: Partial<Record<ContainerVerb, { word: string; icon: string }>> = {
  start: { word: 'Start', icon: 'mdi:play' },
  stop: { word: 'Stop', icon: 'mdi:stop' },
  restart: { word: 'Restart', icon: 'mdi:restart' },
};

/** Buttons for the allowed containers; pausing is too rare for one. */
export const containerEntities = (verb: ContainerVerb): ActionEntities => ({
  controls({ containers: { allowlist } }) {
    const label = labels[verb];
    if (label === undefined) return [];
    return uniqueKeys([...new Set(allowlist)], (name) => name).map(([key, name]) =>
      buttonControl({ key: `container_${verb}_${key}`, name: `${label.word} ${name}`, icon: label.icon }, { name }),
    );
  },
});
