import type { Clock } from '../../../lib/clock.ts';
import { nothing, type Readings, type SensorDevice } from '../sensors.devices.ts';
import { keyOf } from '../sensors.keys.ts';
import type { Hid, HidConnection, HidOutputs } from './hid.ts';
import { createTalk, type HidFamily, type HidReading, type Talk } from './sensors.hid.protocol.ts';

/** A fan controller, on any platform. */
export interface Controller {
  path: string;
  /** Changes each time it is plugged in. */
  identity: string;
  /** The address on its bus. */
  place: string;
  product: number;
  outputs: HidOutputs;
}

/** Values older than this are dropped. */
const oldestMs = 15_000;
const longestPauseMs = 60_000;

/** `refusal`: the message if it is not accessible; null: none, because it is gone. */
export function openController(
  { hid, clock }: { hid: Hid; clock: Clock },
  device: Controller,
  family: HidFamily,
  refusal: (name: string) => string | null,
): SensorDevice {
  const name = family.products[device.product] ?? '';
  const askController = family.begin(device.product);
  let connection: HidConnection | null = null;
  let talk: Talk | null = null;
  let refused = false;
  let busy = false;
  let closed = false;
  let known: { readings: Readings; at: number } | null = null;
  let failures = 0;
  let waitUntil = 0;

  const connect = async (): Promise<Talk | null> => {
    const opened = await hid.open(device.path);
    refused = opened === null;
    if (closed) opened?.close();
    if (opened === null || closed) return null;
    connection = opened;
    return createTalk(clock, opened, device.outputs);
  };
  const disconnect = () => {
    connection?.close();
    connection = null;
    talk = null;
  };

  const ask = async (): Promise<boolean> => {
    try {
      talk ??= await connect();
      const reading = talk === null ? null : await askController(talk);
      if (reading === null) return false;
      known = { readings: describe(reading, name, device.place), at: clock.monotonic() };
      return true;
    } catch {
      // It is gone, asleep or used by another program: the next attempt initialises it again.
      disconnect();
      return false;
    }
  };

  const refresh = async () => {
    if (busy || refused || clock.monotonic() < waitUntil) return;
    busy = true;
    failures = (await ask()) ? 0 : failures + 1;
    // A silent device is not restarted every two seconds.
    waitUntil = failures === 0 ? 0 : clock.monotonic() + Math.min(longestPauseMs, 1000 * 2 ** failures);
    busy = false;
  };

  const ageOf = (reading: typeof known) =>
    reading === null ? Number.POSITIVE_INFINITY : clock.monotonic() - reading.at;
  const isOld = (reading: typeof known) => ageOf(reading) > oldestMs + (family.everyMs ?? 0);

  return {
    name,
    identity: device.identity,
    read() {
      if (ageOf(known) >= (family.everyMs ?? 0)) void refresh();
      return known === null || isOld(known) ? nothing : known.readings;
    },
    silent: nothing,
    refresh,
    stale: () => !busy && failures === 0 && isOld(known),
    renew() {
      refused = false;
    },
    asleep: () => false,
    problem: () => (refused ? refusal(name) : null),
    close() {
      closed = true;
      disconnect();
    },
  };
}

function describe({ temperatures, fans }: HidReading, name: string, place: string): Readings {
  return {
    temperatures: temperatures.map(({ label, celsius }) => ({
      key: keyOf(name, place, label),
      temperature: celsius,
      high: 0,
      critical: 0,
    })),
    fans: fans.map(({ label, rpm }) => ({
      key: keyOf(name, place, label),
      name,
      label,
      speed_rpm: rpm,
      speed_min: null,
      speed_max: null,
    })),
  };
}
