import '../state/no-eval.ts';
import { z } from 'zod';
import { type FormSchema, titleOf } from '../components/form/schema-text.ts';
import { maySee } from '../state/permission.ts';
import { settingsSchema } from '../state/settings.generated.ts';
import { viewAt } from '../views/index.ts';
import type { PaletteEntry } from './palette-ranking.ts';
import { navigate } from './route.tsx';

/** Every setting, if the session may see them. */
export function settingEntries(): PaletteEntry[] {
  const view = viewAt('/settings');
  if (view === undefined || !maySee(view)) return [];
  return entriesOf(z.toJSONSchema(settingsSchema) as FormSchema, '');
}

function entriesOf({ properties = {} }: FormSchema, prefix: string): PaletteEntry[] {
  return Object.entries(properties).flatMap(([key, field]): PaletteEntry[] => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (field.type === 'object' && field.properties !== undefined) return entriesOf(field, path);
    const title = titleOf(path, field);
    return [
      {
        id: `setting ${path}`,
        title,
        kind: 'Setting',
        detail: path,
        icon: 'settings',
        words: `${path} ${field.description ?? ''}`,
        run: () => navigate(`/settings?setting=${encodeURIComponent(path)}`),
      },
    ];
  });
}
