import { binarySensor, type ModuleEntities, uniqueKeys } from '../../core/readings/entities.ts';
import type { AlertsPayload } from './alerts.schema.ts';

/** Those that are to be told by MQTT. They are always as they are: quiet times are for those who are woken by a message. */
export const alertsEntities: ModuleEntities<AlertsPayload> = {
  atOnce: true,
  atMostEvery: 300,
  read: ({ alerts }) =>
    uniqueKeys(
      alerts.filter(({ state, notify }) => state !== 'off' && notify.some(({ way }) => way === 'mqtt')),
      ({ id }) => id,
    ).map(([key, { name, state, since, condition, text, value }]) =>
      binarySensor(`alert_${key}`, name, state === 'unknown' ? null : state === 'active', {
        deviceClass: 'problem',
        attributes: { state, since: new Date(since * 1000).toISOString(), condition, text, value },
      }),
    ),
};
