import { defineFeature } from '../../core/feature.ts';
import { chatControl } from './chat.actions.ts';
import { chatCommands } from './chat.cli.commands.ts';
import type { Chat } from './chat.schema.ts';

export const disconnected: Chat = {
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

/** The same everywhere: only where the socket is differs, and that is known to the host. */
const source = async () => (await import('./chat.source.ts')).chatSource;

export const chat = defineFeature<Chat>({
  name: 'chat',
  title: 'Voice chat',
  module: {
    description: 'State of the local voice-chat application',
    schema: async () => (await import('./chat.schema.ts')).chatSchema,
    everyMs: 30_000,
    empty: disconnected,
    comesAndGoes: true,
    // Existing clients ask for it by this name, and wait for an answer also where nothing is set up.
    alias: { name: 'discord', absent: disconnected },
    entities: async () => (await import('./chat.entities.ts')).chatEntities,
    sources: { linux: source, windows: source, darwin: source },
  },
  actions: [chatControl],
  commands: chatCommands,
});
