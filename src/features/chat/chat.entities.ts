import { binarySensor, type ModuleEntities, sensor } from '../../core/readings/entities.ts';
import type { Chat } from './chat.schema.ts';

export const chatEntities: ModuleEntities<Chat> = {
  atOnce: true,
  atMostEvery: 300,
  read: ({ call, connected }) => [
    binarySensor('chat_in_call', 'In a call', connected ? call !== null : null, {
      deviceClass: 'running',
      icon: 'mdi:phone',
    }),
    sensor('chat_channel', 'Voice channel', call?.channel.name ?? null, {
      stateClass: null,
      icon: 'mdi:forum',
      attributes: { server: call?.server?.name ?? null, members: call?.members.length ?? 0 },
    }),
  ],
  controlled: ({ mute, deaf }) => ({ chat_mute: { value: mute }, chat_deafen: { value: deaf } }),
};
