import type { ActionEntities } from '../../core/action.ts';
import { percentControl, switchControl } from '../../core/readings/entities.ts';

const percentEntities = (key: string, name: string, icon: string, isOff = false): ActionEntities => ({
  controls: () => [
    percentControl({ key, name, icon, module: 'displays', ...(isOff && { isOff }) }, (percent) => ({ percent })),
  ],
});

export const displayBrightnessEntities = percentEntities(
  'display_brightness',
  'Display brightness',
  'mdi:brightness-6',
);
export const displayContrastEntities = percentEntities(
  'display_contrast',
  'Display contrast',
  'mdi:contrast-circle',
  true,
);

export const displayPowerEntities: ActionEntities = {
  controls: () => [
    switchControl({ key: 'display_power', name: 'Displays on', module: 'displays', icon: 'mdi:monitor-shimmer' }),
  ],
};
