import type { ListedService } from './scm.ts';

/** Each is a question of its own to the manager: so many more than those that changed are asked at a read. */
const atATime = 32;

/** How services are started: asked at first, again when their state changes, and of all the others in turn. */
export function createStartTypes(ask: (names: string[]) => Promise<(number | null)[]>) {
  const known = new Map<string, { type: number | null; state: number }>();
  let turn = 0;
  return {
    async of(services: readonly ListedService[]): Promise<Map<string, number | null>> {
      const names = new Set(services.map(({ name }) => name));
      for (const name of known.keys()) if (!names.has(name)) known.delete(name);
      const start = services.length === 0 ? 0 : turn % services.length;
      const due = new Set(services.slice(start, start + atATime).map(({ name }) => name));
      turn = start + atATime;
      const wanted = services.filter(({ name, state }) => due.has(name) || known.get(name)?.state !== state);
      const types = wanted.length === 0 ? [] : await ask(wanted.map(({ name }) => name));
      for (const [index, { name, state }] of wanted.entries()) known.set(name, { type: types[index] ?? null, state });
      return new Map([...known].map(([name, { type }]) => [name, type]));
    },
  };
}
