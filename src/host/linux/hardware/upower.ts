import type { Bus, SignalMatch } from '../../../protocols/dbus/dbus.ts';
import type { Charge } from './power-supply.ts';

const upower = 'org.freedesktop.UPower';
/** All batteries of the machine as one, which UPower adds up by their energy. */
const displayDevice = { path: `/${upower.replaceAll('.', '/')}/devices/DisplayDevice` };
const properties = { interface: 'org.freedesktop.DBus.Properties' };
const bus = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const busCall = { destination: 'org.freedesktop.DBus', ...bus };

/** An answer of ours waits no longer than 1.5 s for both calls. */
const timeoutMs = 600;

/** null: UPower does not run, or knows no battery. https://upower.freedesktop.org/docs/Device.html */
export async function readUpower(system: Bus): Promise<Charge | null> {
  try {
    // A call to it would start it, also on machines that never have a battery.
    const [runs] = await system.call({ ...busCall, member: 'NameHasOwner', signature: 's', body: [upower], timeoutMs });
    if (runs !== true) return null;
    const device = `${upower}.Device`;
    const call = { destination: upower, ...displayDevice, ...properties, member: 'GetAll', timeoutMs };
    const [values] = await system.call({ ...call, signature: 's', body: [device] });
    return parseUpowerDevice(values);
  } catch {
    return null;
  }
}

const states: Record<number, Charge['state']> = {
  1: 'charging',
  2: 'discharging',
  3: 'idle',
  4: 'idle',
  5: 'idle',
  6: 'idle',
};

export function parseUpowerDevice(device: unknown): Charge | null {
  const values = new Map<string, unknown>(Object.entries(device ?? {}));
  const number = (name: string) => {
    const value = Number(values.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : null;
  };
  if (values.get('IsPresent') !== true) return null;
  const state = states[number('State') ?? 0] ?? null;
  const seconds = number(state === 'charging' ? 'TimeToFull' : 'TimeToEmpty');
  // It says 0 for "not known".
  return { state, percentage: number('Percentage'), seconds: seconds === null || seconds <= 0 ? null : seconds };
}

/** Asks the bus for UPower, which runs only once somebody wants it. Where it is not installed, that is all right. */
export function startUpower(system: Bus): void {
  system.call({ ...busCall, member: 'StartServiceByName', signature: 'su', body: [upower, 0] }).catch(() => {});
}

const shown = ['IsPresent', 'Percentage', 'State', 'TimeToEmpty', 'TimeToFull'];

/** Calls back when something we show changes, when UPower comes or goes, and once when it begins to hear of that. */
export function watchUpower(system: Bus, changed: () => void): () => void {
  const stops = [system.onReconnected(changed)];
  let stopped = false;
  const follow = async (match: SignalMatch, isNews: (body: unknown[]) => boolean) => {
    const stop = await system.subscribe(match, ({ body }) => {
      if (isNews(body)) changed();
    });
    if (stopped) stop();
    else stops.push(stop);
  };
  const changes = { sender: upower, ...displayDevice, ...properties, member: 'PropertiesChanged' };
  const owners = { sender: busCall.destination, ...bus, member: 'NameOwnerChanged', arg0: upower };
  Promise.all([
    follow(changes, ([, values, invalidated]) =>
      shown.some((name) => name in Object(values) || (Array.isArray(invalidated) && invalidated.includes(name))),
    ),
    follow(owners, () => true),
  ]).then(
    // What happened before was not announced.
    () => stopped || changed(),
    // Without a bus there is nothing to follow, and the interval has to do.
    () => {},
  );
  return () => {
    stopped = true;
    for (const stop of stops) stop();
  };
}
