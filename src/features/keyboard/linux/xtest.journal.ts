import path from 'node:path';
import type { Host } from '../../../host/host.ts';

/** What an X server was told and has to be told again if we end without a word: keys that may be down, and borrowed key codes. */
export interface KeyJournal {
  note(entry: KeyEntry): void;
  /** Everything was given back. */
  clear(): void;
}

/** `server`: the socket of the X server. */
export type KeyEntry = { server: string } & (
  | { pressed: number }
  | { borrowed: [code: number, keysym: number] }
  | { capsLock: boolean }
);

/** Only in the service, of which there is one for a state directory: what a start finds there, an earlier run has left. */
export const keyJournalFile = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'keyboard.journal');

/** A key code is noted once for a connection, so this is long only after another layout was loaded thousands of times. */
const mostBytes = 256 * 1024;

export function createKeyJournal(host: Pick<Host, 'storage' | 'paths'>): KeyJournal {
  return {
    note(entry) {
      // A line is appended without waiting for the disk: a process that is killed loses none, and a power cut ends the X server too.
      attempt(() => host.storage.append(keyJournalFile(host), JSON.stringify(entry), mostBytes));
    },
    clear: () => attempt(() => host.storage.remove(keyJournalFile(host))),
  };
}

/** Typing works without it. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

/** Lines that make no sense are left out: the last one may have been cut off. */
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
