import type { ActionEntities } from '../../core/action.ts';
import { numberSent } from '../../core/entities.ts';

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
