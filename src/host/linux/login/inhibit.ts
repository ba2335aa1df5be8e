import type { Bus, BusCall } from '@hostler/dbus/dbus.ts';
import { loginManager } from './logind.ts';

/** Announcements of logind about the whole machine. */
export type Announcement = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'reconnected';

/** Delays sleep and shutdown, by a few seconds at most, until the returned function is called. */
export async function delaySleepAndShutdown(
  hold: (call: BusCall) => Promise<() => void>,
  why: string,
): Promise<() => void> {
  // One call each: for both together logind requires a permission that users without a seat do not have.
  const held: (() => void)[] = [];
  const release = () => {
    for (const each of held.splice(0)) each();
  };
  try {
    for (const what of ['sleep', 'shutdown']) {
      const body = [what, 'Hostler', why, 'delay'];
      held.push(await hold({ ...loginManager, member: 'Inhibit', signature: 'ssss', body, timeoutMs: 3000 }));
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Reports the start and the end of sleep and shutdown until the returned function is called. */
export async function followAnnouncements(
  system: Bus,
  received: (announcement: Announcement) => void,
): Promise<() => void> {
  const { destination: sender, path, interface: iface } = loginManager;
  const stops: (() => void)[] = [system.onReconnected(() => received('reconnected'))];
  const stop = () => {
    for (const each of stops.splice(0)) each();
  };
  const follow = async (member: string, before: Announcement, after: Announcement) => {
    const match = { sender, path, interface: iface, member };
    stops.push(await system.subscribe(match, ({ body: [starts] }) => received(starts === true ? before : after)));
  };
  try {
    await follow('PrepareForSleep', 'sleep', 'resume');
    await follow('PrepareForShutdown', 'shutdown', 'shutdown-cancelled');
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}
