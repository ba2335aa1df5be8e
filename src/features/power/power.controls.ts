import type { ActionEntities, ActionParts } from '../../core/action.ts';
import type { EntityDescription } from '../../core/readings/entities.ts';
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

const pressed = (sent: string) => (sent === 'PRESS' ? {} : null);

export const powerEntities = (verb: Verb): ActionEntities => ({
  controls: () => [{ key: `power_${verb}`, component: 'button', ...buttons[verb], toInput: pressed }],
});

/** `power`: the instance with the pending order. */
export const cancelEntities = (power: (parts: ActionParts) => Power): ActionEntities => ({
  controls: () => [
    { key: 'power_cancel', component: 'button', name: 'Cancel power order', icon: 'mdi:cancel', toInput: pressed },
  ],
  shown: [{ key: 'power_pending', component: 'binary_sensor', name: 'Power order pending', icon: 'mdi:timer-sand' }],
  follow: (keep, changed) => keep(power).followPending((pending) => changed({ power_pending: pending !== null })),
});
