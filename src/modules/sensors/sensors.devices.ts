import type { Fan, Temperature } from './sensors.schema.ts';

/** Something with sensors: a chip, a thermal zone, a fan controller. */
export interface SensorDevice {
  name: string;
  /** Changes when another device takes its place. */
  identity: string;
  /** As they are now, without waiting for anybody. */
  read(): Readings;
  /** Asks in the background; for the first time, and of slow devices. */
  refresh(): Promise<void>;
  /** It is certain again that this is the same device. */
  renew(): void;
  /** Reading would wake it up. */
  asleep(): boolean;
  /** Why it gives nothing, and how to mend that. */
  problem(): string | null;
  close(): void;
}

export interface Readings {
  temperatures: Temperature[];
  fans: Fan[];
}
