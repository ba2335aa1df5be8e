import { defineModule } from '../../core/module.ts';
import type { Chat } from './chat.schema.ts';

const disconnected: Chat = {
  connected: false,
  authenticated: false,
  user: null,
  call: null,
  mute: null,
  deaf: null,
  input: null,
  output: null,
  mode: null,
  processing: null,
  qos: null,
  silence_warning: null,
};

export const chat = defineModule<Chat>({
  name: 'chat',
  description: 'State of the local voice-chat application',
  schema: async () => (await import('./chat.schema.ts')).chatSchema,
  everyMs: 30_000,
  empty: disconnected,
  sources: {},
});
