import { type ModuleEntities, roundedTo, sensor, uniqueKeys } from '../../core/readings/entities.ts';
import type { Displays } from './displays.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const displaysEntities: ModuleEntities<Displays> = {
  atOnce: true,
  atMostEvery: 300,
  read: (displays) => [
    sensor('displays', 'Displays', displays.length, { isDiagnostic: true, icon: 'mdi:monitor-multiple' }),
    ...uniqueKeys(displays, ({ id }) => id).flatMap(([key, display]) => [
      sensor(
        `display_${key}_resolution`,
        `Display ${display.name} resolution`,
        display.resolution_horizontal === 0 ? null : `${display.resolution_horizontal}x${display.resolution_vertical}`,
        { stateClass: null, icon: 'mdi:monitor', ...off },
      ),
      sensor(`display_${key}_refresh`, `Display ${display.name} refresh rate`, roundedTo(display.refresh_rate, 2), {
        unit: 'Hz',
        deviceClass: 'frequency',
        ...off,
      }),
    ]),
  ],
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
};
