import type { Bus, BusCall } from '@hostler/dbus/dbus.ts';
import { createStops } from '../../../lib/closing.ts';
import type { MachineEvent } from '../../machine-events.ts';
import { loginManager } from './logind.ts';

/** Delays sleep and shutdown, by a few seconds at most, until the returned function is called. */
export async function delaySleepAndShutdown(
  hold: (call: BusCall) => Promise<() => void>,
  why: string,
): Promise<() => void> {
  // One call each: for both together logind requires a permission that users without a seat do not have.
  const held = createStops();
  try {
    for (const what of ['sleep', 'shutdown']) {
      const body = [what, 'Hostler', why, 'delay'];
      held.add(await hold({ ...loginManager, member: 'Inhibit', signature: 'ssss', body, timeoutMs: 3000 }));
    }
  } catch (error) {
    held.end();
    throw error;
  }
  return held.end;
}

/** Reports the start and the end of sleep and shutdown until the returned function is called. */
export async function followAnnouncements(system: Bus, received: (event: MachineEvent) => void): Promise<() => void> {
  const { destination: sender, path, interface: iface } = loginManager;
  const stops = createStops(system.onReconnected(() => received('reconnected')));
  const follow = async (member: string, before: MachineEvent, after: MachineEvent) => {
    const match = { sender, path, interface: iface, member };
    stops.add(await system.subscribe(match, ({ body: [starts] }) => received(starts === true ? before : after)));
  };
  try {
    await follow('PrepareForSleep', 'sleep', 'resume');
    await follow('PrepareForShutdown', 'shutdown', 'shutdown-cancelled');
  } catch (error) {
    stops.end();
    throw error;
  }
  return stops.end;
}
