import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { KeyboardHost } from './keyboard.backends.ts';
import { type KeyEntry, keyJournalFile, parseKeyJournal } from './xtest.journal.ts';
import { keysDown, readKeymap, setCapsLock, setKey } from './xtest.keymap.ts';
import { openFakeInput } from './xtest.ts';

const timeoutMs = 2000;

/**
 * Releases the keys that a run which was killed held down, and gives back the key codes it had borrowed. Other ways of typing need
 * none of it: their keyboards vanish with the process. How many things were put right; null: there is no X server to ask yet.
 */
export async function releaseLeftKeys(host: KeyboardHost): Promise<number | null> {
  const text = host.storage.read(keyJournalFile(host));
  if (text === null) return 0;
  const { x11: place } = await host.session.find();
  if (place === null) return null;
  const entries = parseKeyJournal(text).filter(({ server }) => server === place.socket);
  const mended = entries.length === 0 ? 0 : await mend(host, place, entries);
  host.storage.remove(keyJournalFile(host));
  return mended;
}

async function mend(
  host: KeyboardHost,
  place: Parameters<typeof openDisplay>[1],
  entries: KeyEntry[],
): Promise<number> {
  const x11 = await openDisplay(host, place, timeoutMs);
  try {
    const input = await openFakeInput(x11);
    const keymap = await readKeymap(x11);
    const down = await keysDown(x11);
    let mended = 0;
    for (const code of new Set(entries.flatMap((entry) => ('pressed' in entry ? [entry.pressed] : [])))) {
      if (!down.has(code)) continue;
      input.release(code);
      mended += 1;
    }
    for (const [code, keysym] of new Map(entries.flatMap((entry) => ('borrowed' in entry ? [entry.borrowed] : [])))) {
      // Somebody may have loaded another layout since.
      if (keymap.rows[code - keymap.first]?.[0] !== keysym) continue;
      setKey(x11, code, 0);
      mended += 1;
    }
    const capsLock = entries.findLast((entry) => 'capsLock' in entry);
    if (capsLock?.capsLock === false && !keymap.capsLock) {
      await setCapsLock(x11, true);
      mended += 1;
    }
    await input.taken();
    return mended;
  } finally {
    x11.close();
  }
}
