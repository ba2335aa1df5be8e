import { defineFeature } from '../../core/feature.ts';
import { clipboardActions } from './clipboard.actions.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';

export const clipboard = defineFeature<FollowedClipboard>({
  name: 'clipboard',
  title: 'Clipboard',
  module: {
    description: 'What was copied last; with the scope clipboard only, and only while somebody listens',
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
  libraries: { clipboard: async () => (await import('./user32-clipboard.windows.ts')).clipboardLibrary },
});
