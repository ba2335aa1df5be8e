import type { ActionEntities } from '../../core/action.ts';
import { type Control, numberSent } from '../../core/entities.ts';

const button = (action: string, name: string, icon: string): Control => ({
  key: `media_${action.toLowerCase()}`,
  component: 'button',
  name,
  icon,
  toInput: (sent) => (sent === 'PRESS' ? { action } : null),
});

export const mediaControlEntities: ActionEntities = {
  controls: () => [
    button('PLAY_PAUSE', 'Play or pause', 'mdi:play-pause'),
    button('NEXT', 'Next title', 'mdi:skip-next'),
    button('PREVIOUS', 'Previous title', 'mdi:skip-previous'),
    button('STOP', 'Stop', 'mdi:stop'),
    {
      key: 'media_volume',
      component: 'number',
      name: 'Media volume',
      module: 'media',
      unit: '%',
      min: 0,
      max: 100,
      step: 1,
      icon: 'mdi:volume-high',
      toInput(sent) {
        const value = numberSent(sent, 0, 100);
        return value === null ? null : { action: 'VOLUME', value };
      },
    },
  ],
};
