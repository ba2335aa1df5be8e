import { defineFeature } from '../../core/feature.ts';
import { clipboardActions } from './clipboard.actions.ts';
import { clipboardCommands } from './clipboard.commands.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';

export const clipboard = defineFeature<FollowedClipboard>({
  name: 'clipboard',
  title: 'Clipboard',
  module: {
    description: 'What was copied last; with the scope clipboard only, and only while a client listens',
    schema: async () => (await import('./clipboard.schema.ts')).clipboardSchema,
    everyMs: 30_000,
    empty: { content: null },
    guarded: { field: 'content', scope: 'clipboard', agents: false },
    sources: {
      linux: async () => (await import('./clipboard.linux.ts')).followedClipboardLinux,
      windows: async () => (await import('./clipboard.windows.ts')).followedClipboardWindows,
    },
  },
  actions: clipboardActions,
  scopes: {
    clipboard: {
      description: 'read what was copied on this machine, and put something onto its clipboard',
      label: 'read and set the clipboard',
      after: 'screen',
      gravity: 60,
      mqtt: false,
    },
  },
  commands: clipboardCommands,
  libraries: { clipboard: async () => (await import('./user32-clipboard.windows.ts')).clipboardLibrary },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    clipboard: true;
  }
}
