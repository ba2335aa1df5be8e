import { bytesIn } from '../../lib/units.ts';

/**
 * Things of this machine as home automation sees them: each a sensor, a switch, a button. A feature declares its own in `<name>.readings.ts`, an action
 * what can be controlled. Units and classes are those of Home Assistant.
 */
export interface EntityDescription {
  /** Never changes: what others configured hangs on it. Lower-case letters, digits, _ and -. */
  key: string;
  component: EntityComponent;
  name: string;
  deviceClass?: string;
  unit?: string;
  /** Left out: what is no number has none, what is one is measured. null: it is a number without a history. */
  stateClass?: 'measurement' | 'total_increasing' | null;
  /** For those who look after the machine, not for its user. */
  isDiagnostic?: boolean;
  /** Announced, and off until somebody turns it on. */
  isOff?: boolean;
  icon?: string;
  /** What it can be. */
  options?: readonly string[];
  /** Decimals to show. */
  decimals?: number;
  min?: number;
  max?: number;
  step?: number;
  eventTypes?: readonly string[];
}

export type EntityComponent =
  | 'sensor'
  | 'binary_sensor'
  | 'button'
  | 'number'
  | 'switch'
  | 'select'
  | 'notify'
  | 'event'
  | 'image'
  | 'update';

/** null: unknown now. */
export type EntityValue = number | string | boolean | null | Record<string, unknown>;

/** One thing and how it is now. */
export interface EntityState extends EntityDescription {
  value: EntityValue;
  /** What else is worth showing about it. */
  attributes?: Record<string, unknown>;
}

/** How a module is seen. */
export interface ModuleEntities<T> {
  /** Told as soon as the machine announces a change, rather than when its turn comes. */
  atOnce?: boolean;
  /** Seconds between two looks, where less is enough than usual; with `atOnce`, beside the changes that are announced. */
  atMostEvery?: number;
  /** Where reading the payload costs much: one serves for several looks, and `read` finds out by itself what has to be newer. */
  keepsPayload?: { seconds: number; isOutdated(): boolean };
  /** `before`: what was given to it at the last look, for whatever is a speed. */
  read(payload: T, before: EarlierPayload<T> | null): EntityState[];
  /** What only matters to those who can control it: shown by the control of the same key. */
  controlled?(payload: T): Record<string, ControlledState>;
  /** What identifies the machine. */
  device?(payload: T): DeviceFacts;
}

export interface ControlledState {
  value: EntityValue;
  /** What can be chosen, by the words that people see; the control is given what stands behind them. */
  choices?: ReadonlyMap<string, string>;
}

export interface EarlierPayload<T> {
  payload: T;
  /** Seconds since then. */
  seconds: number;
}

export interface DeviceFacts {
  /** null: this machine has none that lasts. */
  id: string | null;
  name: string | null;
  manufacturer: string | null;
  model: string | null;
  mac: string | null;
  /** Where others reach it. */
  address: string | null;
}

/** Something that can be controlled by an action. */
export interface Control extends EntityDescription {
  /** The module whose `controlled` has its state; left out: it has none. */
  module?: string;
  /** The input of the action for what was sent; null: that means nothing. */
  toInput(sent: string): Record<string, unknown> | null;
}

export interface EntityEvent {
  key: string;
  type: string;
  data: Record<string, unknown>;
}

type Extra = Omit<EntityState, 'key' | 'name' | 'value' | 'component'>;

/** A number, as long as its value is one or unknown. */
export const sensor = (key: string, name: string, value: EntityValue, extra: Extra = {}): EntityState => ({
  key,
  component: 'sensor',
  name,
  value,
  ...extra,
});

/** Bytes in another unit, so that the receiver need not convert. */
export const sizeSensor = (
  key: string,
  name: string,
  bytes: number | null,
  unit: 'GB' | 'GiB' | 'MiB',
  extra: Extra = {},
): EntityState =>
  sensor(key, name, bytes === null ? null : roundedTo(bytes / bytesIn[unit], 2), {
    unit,
    deviceClass: 'data_size',
    ...extra,
  });

export const binarySensor = (key: string, name: string, value: boolean | null, extra: Extra = {}): EntityState => ({
  key,
  component: 'binary_sensor',
  name,
  value,
  ...extra,
});

export function roundedTo(value: number | null, decimals: number): number | null {
  return value === null ? null : Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** Growth of a count, per second; null: it is not known yet, or was reset. */
export function rateOf(
  now: number | null | undefined,
  before: number | null | undefined,
  seconds: number,
): number | null {
  if (now === null || now === undefined || before === null || before === undefined) return null;
  return seconds <= 0 || now < before ? null : (now - before) / seconds;
}

/** Names of mounts, disks and sensors as parts of a key. */
export function keyPart(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain === '' ? 'root' : plain.slice(0, 64);
}

/** Different names may become the same key: the later ones get a number. */
export function uniqueKeys<T>(things: readonly T[], nameOf: (thing: T) => string): [key: string, thing: T][] {
  const taken = new Set<string>();
  return things.map((thing) => {
    const part = keyPart(nameOf(thing));
    let key = part;
    for (let count = 2; taken.has(key); count++) key = `${part}_${count}`;
    taken.add(key);
    return [key, thing];
  });
}

/** What a switch was set to; null: that is neither. */
export const switchSent = (sent: string): boolean | null => (sent === 'ON' ? true : sent === 'OFF' ? false : null);

/** null: it is no number, or not one of these. */
export function numberSent(sent: string, least: number, most: number): number | null {
  const value = /^-?\d{1,9}(?:\.\d{1,9})?$/.test(sent) ? Number(sent) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

/** A slider in percent, for an action that takes VOLUME. */
export const volumeControl = (key: string, name: string, module: string): Control => ({
  key,
  component: 'number',
  name,
  module,
  unit: '%',
  min: 0,
  max: 100,
  step: 1,
  icon: 'mdi:volume-high',
  toInput(sent) {
    const value = numberSent(sent, 0, 100);
    return value === null ? null : { action: 'VOLUME', value };
  },
});

/** null: it is no object in JSON. */
export function objectSent(sent: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(sent);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
