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

/** The same on every platform: only the place of the socket differs. */
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
    // Existing clients use this name, and expect a response also without a set-up.
    alias: { name: 'discord', absent: disconnected },
    readings: async () => (await import('./chat.readings.ts')).chatReadings,
    sources: { linux: source, windows: source, darwin: source },
  },
  actions: [chatControl],
  scopes: {
    chat: {
      description: 'control the voice-chat application',
      label: 'control voice chat',
      after: 'notify',
      gravity: 30,
      agents: true,
    },
  },
  settings: {
    chat: {
      schema: async () => (await import('./chat.settings.schema.ts')).chatSettingsSchema,
      defaults: { oauthUrl: '' },
      after: 'dashboard',
      ownerOnly: ['oauthUrl'],
      secretUrls: ['oauthUrl'],
    },
  },
  commands: chatCommands,
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    chat: true;
  }
}
