import { signal } from '@preact/signals';
import type { Settings } from '../../src/settings/settings.schema.ts';
import { basePath } from './base-path.ts';
import { request } from './live.ts';
import { session } from './session.ts';

export interface Machine {
  name: string;
  /** Scheme, name and port, and the path below which a proxy serves it. */
  origin: string;
}

/** Other machines from the settings of this one; empty without permission to see the settings. */
export const machines = signal<Machine[]>([]);

export async function loadMachines(): Promise<void> {
  const scopes = session.peek()?.scopes ?? [];
  if (!scopes.includes('command') && !scopes.includes('admin')) return;
  try {
    const { data } = await request('GET_SETTINGS');
    const listed = (data as Partial<Settings>).dashboard?.machines ?? [];
    machines.value = listed.flatMap(({ name, url }) => {
      const { origin: root = 'null', pathname = '' } = URL.parse(url) ?? {};
      const origin = root + pathname.replace(/\/+$/, '');
      return root === 'null' || origin === location.origin + basePath ? [] : [{ name, origin }];
    });
  } catch {
    // The page works without the list.
  }
}
