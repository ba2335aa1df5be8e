import { type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Updates } from './updates.schema.ts';

/** Home Assistant keeps attributes small. */
const mostNames = 50;

/** Whether a restart is needed is an entity of the module system already; here is why. */
export const updatesEntities: ModuleEntities<Updates> = {
  atOnce: true,
  atMostEvery: 300,
  read: ({ updates, security_updates, managers, reboot }) => [
    sensor('updates', 'Updates', updates, {
      icon: 'mdi:package-up',
      isDiagnostic: true,
      attributes: {
        managers: Object.fromEntries(managers.map(({ name, updates: waiting }) => [name, waiting])),
        packages: managers.flatMap(({ packages }) => packages.map(({ name }) => name)).slice(0, mostNames),
        restart_reasons: reboot.reasons,
      },
    }),
    sensor('security_updates', 'Security updates', security_updates, {
      icon: 'mdi:package-variant-closed-plus',
      isDiagnostic: true,
    }),
  ],
};
