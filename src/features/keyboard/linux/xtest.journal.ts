import path from 'node:path';
import type { Host } from '../../../host/host.ts';

/** State of an X server that outlives a killed service: keys that may be down, and borrowed key codes. */
export interface KeyJournal {
  note(entry: KeyEntry): void;
  clear(): void;
}

/** `server`: the socket of the X server. */
export type KeyEntry = { server: string } & (
  | { pressed: number }
  | { borrowed: [code: number, keysym: number] }
  | { capsLock: boolean }
);

/** Only in the service, which is the only one of its state directory: entries found at start are of an earlier run. */
export const keyJournalFile = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'keyboard.journal');

/** A key code is noted once per connection; this is reached only after thousands of layout changes. */
const mostBytes = 256 * 1024;

export function createKeyJournal(host: Pick<Host, 'storage' | 'paths'>): KeyJournal {
  return {
    note(entry) {
      // Lines are appended without fsync: a killed process loses none, and a power cut ends the X server too.
      attempt(() => host.storage.append(keyJournalFile(host), JSON.stringify(entry), mostBytes));
    },
    clear: () => attempt(() => host.storage.remove(keyJournalFile(host))),
  };
}

/** Typing works without the journal. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Invalid lines are skipped: the last one may be incomplete. */
export function parseKeyJournal(text: string): KeyEntry[] {
  return text.split('\n').flatMap((line): KeyEntry[] => {
    try {
      const { server, pressed, borrowed, capsLock } = JSON.parse(line);
      if (typeof server !== 'string') return [];
      if (isCode(pressed)) return [{ server, pressed }];
      if (typeof capsLock === 'boolean') return [{ server, capsLock }];
      const [code, keysym] = Array.isArray(borrowed) ? borrowed : [];
      return isCode(code) && Number.isInteger(keysym) ? [{ server, borrowed: [code, keysym] }] : [];
    } catch {
      return [];
    }
  });
}

const isCode = (value: unknown): value is number => typeof value === 'number' && value >= 8 && value <= 255;
