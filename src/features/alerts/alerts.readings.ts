import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { AlertsPayload } from './alerts.schema.ts';

type Alert = AlertsPayload['alerts'][number];

export const alertsReadings = readings<AlertsPayload>({
  rows: [
    each(({ alerts }) => alerts, { label: ({ id, name }: Alert) => ({ id, name }) }, [
      { help: 'Whether the alert is active', value: isActive, prometheus: 'hostler_alert_active' },
    ]),
    // Quiet times delay messages; an entity always has the current state.
    each(
      ({ alerts }) => alerts.filter(({ state, notify }) => state !== 'off' && notify.some(({ way }) => way === 'mqtt')),
      { key: ({ id }: Alert) => id, title: ({ name }) => name },
      [
        {
          id: 'alert_{key}',
          name: '{title}',
          value: isActive,
          entity: {
            deviceClass: 'problem',
            attributes: ({ state, since, condition, text, value }) => ({
              state,
              since: new Date(since * 1000).toISOString(),
              condition,
              text,
              value,
            }),
          },
        },
      ],
    ),
  ],
  entities: { atOnce: true, isWhole: true },
});

/** null: unknown, or not watched. */
function isActive({ state }: Alert): boolean | null {
  return state === 'unknown' || state === 'off' ? null : state === 'active';
}
