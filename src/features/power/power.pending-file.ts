import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { Orderer } from './power.audit.ts';
import { type Verb, verbs } from './power.verbs.ts';

/** An order with a delay that is not due yet. */
export interface PendingPowerOrder {
  verb: Verb;
  /** Unix milliseconds. */
  at: number;
  by: Orderer;
}

/** Lets a restarted service report the order that it dropped. */
export function createPendingFile({ storage, paths }: Pick<Host, 'storage' | 'paths'>) {
  const file = path.join(paths.state, 'power-waiting.json');
  return {
    write: (order: PendingPowerOrder) => storage.write(file, `${JSON.stringify(order)}\n`),
    clear: () => storage.remove(file),
    /** Returns and removes the order that the previous run left. */
    takeLeftover(): PendingPowerOrder | null {
      const text = storage.read(file);
      if (text === null) return null;
      storage.remove(file);
      return parseOrder(text);
    },
  };
}

function parseOrder(text: string): PendingPowerOrder | null {
  try {
    const { verb, at, by } = JSON.parse(text);
    const known = verbs.find((each) => each === verb);
    if (known === undefined || typeof at !== 'number') return null;
    return { verb: known, at, by: { token: String(by?.token), address: String(by?.address) } };
  } catch {
    return null;
  }
}
