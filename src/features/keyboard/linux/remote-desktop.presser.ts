import type { RemoteDesktop } from '../../../host/linux/input/remote-desktop.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { type KeyPresser, LackingKey } from './keyboard.presser.ts';
import { shift } from './keysyms.ts';
import type { LayoutKeysyms } from './xkbcommon.ts';

/** Time until the new keyboard reaches the window: earlier keys are lost, ms. */
const wakeMs = 300;

/** Desktops silently drop keysyms that the user's layout lacks or has under another name. So the layout is read first; while it is unknown only ASCII is typed. The session starts with the first key. */
export function presserOver(
  desktop: RemoteDesktop,
  clock: Clock,
  readLayout: () => Promise<LayoutKeysyms | null>,
): KeyPresser {
  let sent: Promise<unknown>[] = [];
  let isStarted = false;
  let layout: LayoutKeysyms | null = null;

  const key = (keysym: number, isDown: boolean) => {
    const answer = desktop.key(layout?.get(keysym)?.keysym ?? keysym, isDown);
    // The failure is reported by the final wait.
    answer.catch(() => {});
    sent.push(answer);
  };
  const settle = async () => {
    const waited = sent;
    sent = [];
    await Promise.all(waited);
  };
  const start = async () => {
    if (!desktop.isOpen()) throw new Error('the desktop has ended the session for remote control');
    if (isStarted) return;
    await desktop.start();
    isStarted = true;
    key(shift, true);
    key(shift, false);
    await settle();
    await sleep(clock, wakeMs);
  };
  return {
    async lacks(keysyms) {
      await start();
      // A busy desktop may not answer at first.
      layout ??= await readLayout();
      if (layout !== null) return keysyms.some((keysym) => layout?.has(keysym) === false);
      if (!keysyms.some(isBeyondAscii)) return false;
      throw new LackingKey(
        'the desktop did not send its keyboard layout, without which only ASCII is typed; try again, and see that libxkbcommon is installed',
      );
    },
    async prepare(keysyms) {
      await start();
      return keysyms.length;
    },
    down: (keysym) => key(keysym, true),
    up: (keysym) => key(keysym, false),
    settle,
    async close() {
      await settle().catch(() => {});
      await desktop.stop();
    },
  };
}

/** Keys without a character are the same in all layouts. */
const isBeyondAscii = (keysym: number) =>
  (keysym > 0x7e && keysym < 0xfd00) || (keysym >= 0x0100_0000 && keysym < 0x1000_0000);
