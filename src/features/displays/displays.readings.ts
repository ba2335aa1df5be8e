import { roundedTo } from '../../core/readings/entities.ts';
import { readings } from '../../core/readings/readings.ts';
import { each } from '../../core/readings/rows.ts';
import type { Displays } from './displays.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const displaysReadings = readings<Displays>({
  rows: [
    {
      id: 'displays',
      name: 'Displays',
      value: (displays) => displays.length,
      entity: { isDiagnostic: true, icon: 'mdi:monitor-multiple' },
    },
    each((displays) => displays, { key: ({ id }: Displays[number]) => id, title: ({ name }) => name }, [
      {
        id: 'display_{key}_resolution',
        name: 'Display {title} resolution',
        value: ({ resolution_horizontal: width, resolution_vertical: height }) =>
          width === 0 ? null : `${width}x${height}`,
        entity: { stateClass: null, icon: 'mdi:monitor', ...off },
      },
      {
        id: 'display_{key}_refresh',
        name: 'Display {title} refresh rate',
        value: ({ refresh_rate }) => refresh_rate,
        entity: { unit: 'Hz', digits: 2, deviceClass: 'frequency', ...off },
      },
    ]),
  ],
  entities: {
    atOnce: true,
    controlled(displays) {
      const brightness = displays.find((display) => display.brightness !== null)?.brightness ?? null;
      const contrast = displays.find((display) => display.contrast !== null)?.contrast ?? null;
      const powers = displays.flatMap(({ power }) => (power === null ? [] : [power]));
      return {
        ...(brightness === null ? {} : { display_brightness: { value: roundedTo(brightness, 0) } }),
        ...(contrast === null ? {} : { display_contrast: { value: roundedTo(contrast, 0) } }),
        ...(powers.length === 0 ? {} : { display_power: { value: powers.includes('on') } }),
      };
    },
  },
});
