import type { ActionEntities } from '../../core/action.ts';
import { buttonControl, uniqueKeys } from '../../core/readings/entities.ts';
import { type ContainerVerb, containerWords } from './containers.verbs.ts';

/** Buttons for the allowed containers. */
export const containerEntities = (verb: ContainerVerb): ActionEntities => ({
  controls({ containers: { allowlist } }) {
    const { button } = containerWords[verb];
    if (button === undefined) return [];
    return uniqueKeys([...new Set(allowlist)], (name) => name).map(([key, name]) =>
      buttonControl({ key: `container_${verb}_${key}`, name: `${button.word} ${name}`, icon: button.icon }, { name }),
    );
  },
});
