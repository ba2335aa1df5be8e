import { binarySensor, type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Containers } from './containers.schema.ts';

const mostNames = 50;

/** Few, however many containers there are: each of a hundred as an entity of its own would bury the rest of the machine. */
export const containersEntities: ModuleEntities<Containers> = {
  atOnce: true,
  read({ engines, containers }) {
    if (engines.length === 0) return [];
    const unhealthy = containers.filter(({ health }) => health === 'unhealthy');
    const running = containers.filter(({ state }) => state === 'running');
    const names = (list: typeof containers) => ({ containers: list.slice(0, mostNames).map(({ name }) => name) });
    return [
      {
        ...sensor('containers_running', 'Containers running', running.length, { icon: 'mdi:docker' }),
        attributes: names(running),
      },
      {
        ...sensor('containers_total', 'Containers', containers.length, {
          icon: 'mdi:docker',
          isDiagnostic: true,
          isOff: true,
        }),
      },
      {
        ...binarySensor('containers_unhealthy', 'Unhealthy containers', unhealthy.length > 0, {
          deviceClass: 'problem',
          icon: 'mdi:docker',
        }),
        attributes: names(unhealthy),
      },
    ];
  },
};
