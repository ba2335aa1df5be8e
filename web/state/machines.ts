import { signal } from '@preact/signals';
import type { Settings } from '../../src/settings/settings.schema.ts';
import { request } from './live.ts';
import { session } from './session.ts';

export interface Machine {
  name: string;
  /** Scheme, name and port. */
  origin: string;
}

/** Other machines, as the settings of this one list them; empty as well for those who may not see the settings. */
export const machines = signal<Machine[]>([]);

export async function loadMachines(): Promise<void> {
  const scopes = session.peek()?.scopes ?? [];
  if (!scopes.includes('command') && !scopes.includes('admin')) return;
  try {
    const { data } = await request('GET_SETTINGS');
    const listed = (data as Partial<Settings>).dashboard?.machines ?? [];
    machines.value = listed.flatMap(({ name, url }) => {
      const origin = URL.parse(url)?.origin ?? 'null';
      return origin === 'null' || origin === location.origin ? [] : [{ name, origin }];
    });
  } catch {
    // The page shows the machine it came from all the same.
  }
}
