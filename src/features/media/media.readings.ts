import { roundedTo } from '../../core/readings/entities.ts';
import { readings } from '../../core/readings/readings.ts';
import type { Media } from './media.schema.ts';

/** Home Assistant rejects longer states. */
const longestState = 255;

export const mediaReadings = readings<Media>({
  rows: [
    {
      id: 'media_status',
      name: 'Media status',
      value: ({ status }) => status?.toLowerCase() ?? null,
      entity: { deviceClass: 'enum', options: ['playing', 'paused', 'stopped', 'changing'], isOftenUnknown: true },
    },
    {
      id: 'media_title',
      name: 'Media title',
      value: ({ title }) => title?.slice(0, longestState) ?? null,
      entity: {
        stateClass: null,
        icon: 'mdi:music',
        isOftenUnknown: true,
        attributes: ({ artist, album_title, players }) => ({
          artist,
          album: album_title,
          player: players.find(({ is_current }) => is_current)?.identity ?? null,
        }),
      },
    },
    {
      id: 'media_artwork',
      name: 'Media artwork',
      value: ({ thumbnail }) => thumbnail,
      entity: { component: 'image', isOftenUnknown: true },
    },
  ],
  entities: {
    atOnce: true,
    clientStates: (media) => ({ media_player: { value: playerState(media) } }),
    controlled: ({ volume }) => ({ media_volume: { value: roundedTo(volume, 0) } }),
  },
});

/** What a media player of home automation shows. */
const playerState = ({ status, title, artist, album_title, type, players, ...media }: Media) => ({
  status: status?.toLowerCase() ?? null,
  title,
  artist,
  album: album_title,
  type,
  player: players.find(({ is_current }) => is_current)?.name ?? null,
  players: players.map(({ name, identity }) => ({ name, identity })),
  position: media.position,
  duration: media.duration,
  updated_at: media.updated_at,
  volume: media.volume,
  shuffle: media.shuffle,
  repeat: media.repeat,
  can: (['play', 'pause', 'stop', 'next', 'previous'] as const).filter((verb) => media[`is_${verb}_enabled`] === true),
});
