import type { ActionEntities } from '../../core/action.ts';
import { type Control, percentSent, switchSent } from '../../core/readings/entities.ts';

const percentEntities = (named: Pick<Control, 'key' | 'name' | 'icon' | 'isOff'>): ActionEntities => ({
  controls: () => [
    {
      ...named,
      component: 'number',
      module: 'displays',
      unit: '%',
      min: 0,
      max: 100,
      step: 1,
      toInput(sent) {
        const percent = percentSent(sent);
        return percent === null ? null : { percent };
      },
    },
  ],
});

export const displayBrightnessEntities = percentEntities({
  key: 'display_brightness',
  name: 'Display brightness',
  icon: 'mdi:brightness-6',
});

export const displayContrastEntities = percentEntities({
  key: 'display_contrast',
  name: 'Display contrast',
  icon: 'mdi:contrast-circle',
  isOff: true,
});

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
