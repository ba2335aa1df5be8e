import type { ActionEntities } from '../../core/action.ts';
import { buttonControl, objectSent, volumeControl } from '../../core/readings/entities.ts';

const button = (action: string, name: string, icon: string) =>
  buttonControl({ key: `media_${action.toLowerCase()}`, name, icon }, { action });

export const mediaControlEntities: ActionEntities = {
  controls: () => [
    button('PLAY_PAUSE', 'Play or pause', 'mdi:play-pause'),
    button('NEXT', 'Next title', 'mdi:skip-next'),
    button('PREVIOUS', 'Previous title', 'mdi:skip-previous'),
    button('STOP', 'Stop', 'mdi:stop'),
    { key: 'media_player', component: 'media_player', name: 'Media player', module: 'media', toInput: objectSent },
    volumeControl('media_volume', 'Media volume', 'media'),
  ],
};

export const speechEntities: ActionEntities = {
  controls: () => [
    {
      key: 'say',
      component: 'notify',
      name: 'Say',
      icon: 'mdi:bullhorn',
      toInput: (sent) => (sent.trim() === '' ? null : { text: sent.slice(0, 1000) }),
    },
  ],
};
