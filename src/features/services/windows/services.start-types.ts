import type { ListedService } from './scm.ts';

/** Unchanged services queried per read; each takes a call of its own. */
const atATime = 32;

/** Start types: queried at first, again after a state change, and in rotation for the others. */
export function createStartTypes(query: (names: string[]) => Promise<(number | null)[]>) {
  const known = new Map<string, { type: number | null; state: number }>();
  let next = 0;
  return {
    async of(services: readonly ListedService[]): Promise<Map<string, number | null>> {
      const names = new Set(services.map(({ name }) => name));
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
      const start = services.length === 0 ? 0 : next % services.length;
      const due = new Set(services.slice(start, start + atATime).map(({ name }) => name));
      next = start + atATime;
      const wanted = services.filter(({ name, state }) => due.has(name) || known.get(name)?.state !== state);
      const types = wanted.length === 0 ? [] : await query(wanted.map(({ name }) => name));
      for (const [index, { name, state }] of wanted.entries()) known.set(name, { type: types[index] ?? null, state });
      return new Map([...known].map(([name, { type }]) => [name, type]));
    },
  };
}
