import type { ActionEntities, ActionParts } from '../../core/action.ts';
import { buttonControl, type EntityDescription } from '../../core/readings/entities.ts';
import type { Power } from './power.schedule.ts';
import type { Verb } from './power.verbs.ts';

const buttons: Record<Verb, Omit<EntityDescription, 'key' | 'component'>> = {
  lock: { name: 'Lock', icon: 'mdi:lock' },
  sleep: { name: 'Sleep', icon: 'mdi:power-sleep' },
  hibernate: { name: 'Hibernate', icon: 'mdi:snowflake' },
  logout: { name: 'Log out', icon: 'mdi:logout' },
  shutdown: { name: 'Shut down', icon: 'mdi:power' },
  restart: { name: 'Restart', deviceClass: 'restart' },
};

export const powerEntities = (verb: Verb): ActionEntities => ({
  controls: () => [buttonControl({ key: `power_${verb}`, ...buttons[verb] })],
});

/** `power`: the instance with the pending order. */
export const cancelEntities = (power: (parts: ActionParts) => Power): ActionEntities => ({
  controls: () => [buttonControl({ key: 'power_cancel', name: 'Cancel power order', icon: 'mdi:cancel' })],
  shown: [{ key: 'power_pending', component: 'binary_sensor', name: 'Power order pending', icon: 'mdi:timer-sand' }],
  follow: (keep, changed) => keep(power).followPending((pending) => changed({ power_pending: pending !== null })),
});
