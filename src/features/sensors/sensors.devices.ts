import type { Fan, Temperature } from './sensors.schema.ts';

/** Something with sensors: a chip, a thermal zone, a fan controller. */
export interface SensorDevice {
  name: string;
  /** Changes when another device takes its place. */
  identity: string;
  /** As they are now, without waiting for anybody. */
  read(): Readings;
  /** All it has, without values: what it is taken for while it sleeps. */
  silent: Readings;
  /** Asks in the background; for the first time, and of slow devices. */
  refresh(): Promise<void>;
  /** What it said is too old to be shown, and it is not being asked: worth waiting for. */
  stale(): boolean;
  /** It is certain again that this is the same device. */
  renew(): void;
  /** Reading would wake it up. */
  asleep(): boolean;
  /** Why it gives nothing, and how to mend that. */
  problem(): string | null;
  close(): void;
}

/** A sensor without a value holds its key all the same, so that no other gets it. */
export interface Readings {
  temperatures: (Omit<Temperature, 'temperature'> & { temperature: number | null })[];
  fans: Fan[];
}

export const nothing: Readings = { temperatures: [], fans: [] };
