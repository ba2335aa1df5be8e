import type { Values } from './sensors.values.ts';

/** A device with sensors, as far as it stays the same. */
export interface SensorDevice {
  /** Chip or zone. */
  name: string;
  /** Changes when another device takes its place. */
  identity: string;
  temperatures: TemperatureSensor[];
  fans: FanSensor[];
  /** First of the temperatures, in thousandths of °C, then of the fans. */
  values: Values;
  /** Reading would wake it up. */
  asleep(): boolean;
  close(): void;
}

export interface TemperatureSensor {
  key: string;
  /** °C, 0: unknown. */
  high: number;
  critical: number;
}

export interface FanSensor {
  key: string;
  name: string;
  label: string;
  min: number | null;
  max: number | null;
}
