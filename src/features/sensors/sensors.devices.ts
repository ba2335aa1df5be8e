import { type Clock, settledWithin } from '../../lib/clock.ts';
import type { Fan, Temperature } from './sensors.schema.ts';

/** Something with sensors: a chip, a thermal zone, a fan controller. */
export interface SensorDevice {
  name: string;
  /** Changes when another device takes its place. */
  identity: string;
  /** The current values, without waiting. */
  read(): Readings;
  /** All its sensors, without values: used while it sleeps. */
  silent: Readings;
  /** Reads in the background: first reads, and slow devices. */
  refresh(): Promise<void>;
  /** Whether its values are too old and it is not being read: worth waiting for. */
  stale(): boolean;
  /** Called when it is confirmed to be the same device. */
  renew(): void;
  /** Reading would wake it up. */
  asleep(): boolean;
  /** Why it gives nothing, and how to fix that. */
  problem(): string | null;
  close(): void;
}

/** A sensor without a value keeps its key, so that no other gets it. */
export interface Readings {
  temperatures: (Omit<Temperature, 'temperature'> & { temperature: number | null })[];
  fans: Fan[];
}

export const nothing: Readings = { temperatures: [], fans: [] };

/** Slower devices are in the next payload. */
const gatherWithinMs = 1000;

/** A first read, or one after a long time, is waited for shortly. */
export const gather = (clock: Clock, devices: readonly SensorDevice[]) =>
  settledWithin(clock, Promise.all(devices.map((device) => device.refresh())), gatherWithinMs);
