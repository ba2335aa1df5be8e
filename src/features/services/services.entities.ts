import { binarySensor, type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Services } from './services.schema.ts';

/** As many names as fit on a card. */
const mostNames = 20;

export const servicesEntities: ModuleEntities<Services> = {
  atOnce: true,
  atMostEvery: 60,
  read({ manager, counts, units }) {
    if (manager === null) return [];
    const names = units.flatMap(({ name, scope, active_state }) =>
      active_state === 'failed' ? [scope === 'user' ? `${name} (user)` : name] : [],
    );
    return [
      sensor('services_failed', 'Failed services', counts.failed, {
        icon: 'mdi:cog-off',
        attributes: { units: names.slice(0, mostNames) },
      }),
      binarySensor('services_problem', 'Services', counts.failed > 0, { deviceClass: 'problem' }),
    ];
  },
};
