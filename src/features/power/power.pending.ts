import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { Orderer } from './power.audit.ts';
import { type Verb, verbs } from './power.verbs.ts';

/** An order that waits. */
export interface Waiting {
  verb: Verb;
  /** Unix milliseconds. */
  at: number;
  by: Orderer;
}

/** It stands on the disk as well, so that a service that starts anew can say what it will not do. */
export interface WaitingFile {
  write(waiting: Waiting): void;
  clear(): void;
  /** What an earlier run has left, which is gone with this look. */
  takeLeftover(): Waiting | null;
}

export function createWaitingFile({ storage, paths }: Pick<Host, 'storage' | 'paths'>): WaitingFile {
  const file = path.join(paths.state, 'power-waiting.json');
  return {
    write: (waiting) => storage.write(file, `${JSON.stringify(waiting)}\n`),
    clear: () => storage.remove(file),
    takeLeftover() {
      const text = storage.read(file);
      if (text === null) return null;
      storage.remove(file);
      return parseWaiting(text);
    },
  };
}

function parseWaiting(text: string): Waiting | null {
  try {
    const { verb, at, by } = JSON.parse(text);
    const known = verbs.find((each) => each === verb);
    if (known === undefined || typeof at !== 'number') return null;
    return { verb: known, at, by: { token: String(by?.token), address: String(by?.address) } };
  } catch {
    return null;
  }
}
