import { defineModule } from '../../core/module.ts';
import type { Displays } from './displays.schema.ts';

export const displays = defineModule<Displays>({
  name: 'displays',
  description:
    'Connected displays: resolution, position, size, refresh rate, brightness, input, and whether they are on',
  schema: async () => (await import('./displays.schema.ts')).displaysSchema,
  everyMs: 30_000,
  empty: [],
  entities: async () => (await import('./displays.entities.ts')).displaysEntities,
  sources: {
    linux: async () => (await import('./displays.linux.ts')).displaysLinux,
    windows: async () => (await import('./displays.windows.ts')).displaysWindows,
  },
});
