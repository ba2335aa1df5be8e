import { type ModuleEntities, roundedTo, sensor } from '../../core/readings/entities.ts';
import type { Media } from './media.schema.ts';

const statuses = ['playing', 'paused', 'stopped', 'changing'];

export const mediaEntities: ModuleEntities<Media> = {
  atOnce: true,
  atMostEvery: 300,
  read: ({ status, title, artist, album_title, players, thumbnail }) => [
    sensor('media_status', 'Media status', status?.toLowerCase() ?? null, { deviceClass: 'enum', options: statuses }),
    // Home Assistant takes no more than 255 characters.
    sensor('media_title', 'Media title', title?.slice(0, 255) ?? null, {
      stateClass: null,
      icon: 'mdi:music',
      attributes: {
        artist,
        album: album_title,
        player: players.find(({ is_current }) => is_current)?.identity ?? null,
      },
    }),
    { key: 'media_artwork', component: 'image', name: 'Media artwork', value: thumbnail },
  ],
  controlled: ({ volume }) => ({ media_volume: { value: roundedTo(volume, 0) } }),
};
