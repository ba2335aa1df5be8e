import { type Clock, sleep } from '../clock.ts';
import type { Bus } from '../dbus/dbus.ts';
import type { KeyPresser } from './keyboard.ts';
import { shift } from './keysyms.ts';
import type { LayoutKeysyms } from './xkbcommon.ts';

const manager = {
  destination: 'org.gnome.Mutter.RemoteDesktop',
  path: '/org/gnome/Mutter/RemoteDesktop',
  interface: 'org.gnome.Mutter.RemoteDesktop',
};
const timeoutMs = 2000;
/** The new keyboard has to reach the window first: keys before that are lost, ms. */
const wakeMs = 300;

/**
 * GNOME's own way for remote desktops. It ends with our connection to the bus, whatever happens to us. What the keyboard layout of
 * the user lacks it drops without a word, so the layout is looked at first.
 */
export async function openMutterKeyboard(
  bus: Bus,
  clock: Clock,
  readLayout: () => Promise<LayoutKeysyms | null>,
): Promise<KeyPresser> {
  const [created] = await bus.call({ ...manager, member: 'CreateSession', timeoutMs });
  const session = {
    destination: manager.destination,
    path: String(created),
    interface: `${manager.interface}.Session`,
  };
  let ended = false;
  const stop = await bus.subscribe({ path: session.path, interface: session.interface, member: 'Closed' }, () => {
    ended = true;
  });
  let sent: Promise<unknown>[] = [];
  let isStarted = false;
  let layout: LayoutKeysyms | null = null;

  const key = (keysym: number, isDown: boolean) => {
    const call = {
      ...session,
      member: 'NotifyKeyboardKeysym',
      signature: 'ub',
      body: [layout?.get(keysym) ?? keysym, isDown],
    };
    const answer = bus.call({ ...call, timeoutMs });
    answer.catch(() => {});
    sent.push(answer);
  };
  const settle = async () => {
    const waited = sent;
    sent = [];
    await Promise.all(waited);
  };
  const start = async () => {
    if (ended) throw new Error('GNOME has ended the session for remote control');
    if (isStarted) return;
    await bus.call({ ...session, member: 'Start', timeoutMs });
    isStarted = true;
    key(shift, true);
    key(shift, false);
    await settle();
    await sleep(clock, wakeMs);
    layout = await readLayout();
  };
  return {
    async lacks(keysyms) {
      await start();
      return layout !== null && keysyms.some((keysym) => layout?.has(keysym) === false);
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
      // One that was never started ends with a complaint, and goes away all the same.
      await bus.call({ ...session, member: 'Stop', timeoutMs }).catch(() => {});
      stop();
    },
  };
}
