import type { ActionEntities } from '../../core/action.ts';
import { numberSent, switchSent } from '../../core/readings/entities.ts';

export const displayBrightnessEntities: ActionEntities = {
  controls: () => [
    {
      key: 'display_brightness',
      component: 'number',
      name: 'Display brightness',
      module: 'displays',
      unit: '%',
      min: 0,
      max: 100,
      step: 1,
      icon: 'mdi:brightness-6',
      toInput(sent) {
        const percent = numberSent(sent, 0, 100);
        return percent === null ? null : { percent };
      },
    },
  ],
};

export const displayContrastEntities: ActionEntities = {
  controls: () => [
    {
      key: 'display_contrast',
      component: 'number',
      name: 'Display contrast',
      module: 'displays',
      unit: '%',
      min: 0,
      max: 100,
      step: 1,
      isOff: true,
      icon: 'mdi:contrast-circle',
      toInput(sent) {
        const percent = numberSent(sent, 0, 100);
        return percent === null ? null : { percent };
      },
    },
  ],
};

export const displayPowerEntities: ActionEntities = {
  controls: () => [
    {
      key: 'display_power',
      component: 'switch',
      name: 'Displays on',
      module: 'displays',
      icon: 'mdi:monitor-shimmer',
      toInput(sent) {
        const on = switchSent(sent);
        return on === null ? null : { on };
      },
    },
  ],
};
