import { readings } from '../../core/readings/readings.ts';
import type { Chat } from './chat.schema.ts';

export const chatReadings = readings<Chat>({
  rows: [
    {
      id: 'chat_in_call',
      name: 'In a call',
      value: ({ call, connected }) => (connected ? call !== null : null),
      entity: { deviceClass: 'running', icon: 'mdi:phone' },
    },
    {
      id: 'chat_channel',
      name: 'Voice channel',
      value: ({ call }) => call?.channel.name ?? null,
      entity: {
        stateClass: null,
        icon: 'mdi:forum',
        isOftenUnknown: true,
        attributes: ({ call }) => ({ server: call?.server?.name ?? null, members: call?.members.length ?? 0 }),
      },
    },
  ],
  entities: {
    atOnce: true,
    controlled: ({ mute, deaf }) => ({ chat_mute: { value: mute }, chat_deafen: { value: deaf } }),
  },
});
