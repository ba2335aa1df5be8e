import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { KeyboardHost } from './keyboard.backends.ts';
import { type KeyEntry, keyJournalFile, parseKeyJournal } from './xtest.journal.ts';
import { keysDown, readKeymap, setCapsLock, setKey } from './xtest.keymap.ts';
import { openFakeInput } from './xtest.ts';

const timeoutMs = 2000;

/** Releases keys held by a killed run, and returns the key codes it borrowed. Other backends need no recovery: their keyboards vanish with the process. Returns the number of repairs; null: no X server is running yet. */
export async function releaseLeftKeys(host: KeyboardHost): Promise<number | null> {
  const text = host.storage.read(keyJournalFile(host));
  if (text === null) return 0;
  const { x11: place } = await host.session.find();
  if (place === null) return null;
  const entries = parseKeyJournal(text).filter(({ server }) => server === place.socket);
  const repaired = entries.length === 0 ? 0 : await repair(host, place, entries);
  host.storage.remove(keyJournalFile(host));
  return repaired;
}

async function repair(
  host: KeyboardHost,
  place: Parameters<typeof openDisplay>[1],
  entries: KeyEntry[],
): Promise<number> {
  const x11 = await openDisplay(host, place, timeoutMs);
  try {
    const input = await openFakeInput(x11);
    const keymap = await readKeymap(x11);
    const down = await keysDown(x11);
    let repaired = 0;
    for (const code of new Set(entries.flatMap((entry) => ('pressed' in entry ? [entry.pressed] : [])))) {
      if (!down.has(code)) continue;
      input.release(code);
      repaired += 1;
    }
    for (const [code, keysym] of new Map(entries.flatMap((entry) => ('borrowed' in entry ? [entry.borrowed] : [])))) {
      // Another layout may have been loaded since.
      if (keymap.rows[code - keymap.first]?.[0] !== keysym) continue;
      setKey(x11, code, 0);
      repaired += 1;
    }
    const capsLock = entries.findLast((entry) => 'capsLock' in entry);
    if (capsLock?.capsLock === false && !keymap.capsLock) {
      await setCapsLock(x11, true);
      repaired += 1;
    }
    await input.taken();
    return repaired;
  } finally {
    x11.close();
  }
}
