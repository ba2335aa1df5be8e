import { parseBoundedJson } from '../../lib/bounded-json.ts';
import { bytesIn } from '../../lib/units.ts';

/**
 * Parts of this machine as home automation sees them: each is a sensor, a switch or a button. A feature declares its own in
 * `<name>.readings.ts`, an action what can be controlled. Units and classes are those of Home Assistant.
 */
export interface EntityDescription {
  /** Never changes: configurations of users depend on it. Lower-case letters, digits, _ and -. */
  key: string;
  component: EntityComponent;
  name: string;
  deviceClass?: string;
  unit?: string;
  /** Omitted: a text has none, a number is a measurement. null: a number without a history. */
  stateClass?: 'measurement' | 'total_increasing' | null;
  isDiagnostic?: boolean;
  /** Announced, and off until the user enables it. */
  isOff?: boolean;
  /** Null is a usual value, such as the title while nothing plays. Others are announced when they are known for the first time. */
  isOftenUnknown?: boolean;
  icon?: string;
  options?: readonly string[];
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
  /** Its text may be secret, so it has no state. */
  | 'text'
  | 'notify'
  | 'event'
  | 'image'
  | 'update'
  /** Not over MQTT: Home Assistant has none there. */
  | 'media_player';

/** null: unknown now. */
export type EntityValue = number | string | boolean | null | Record<string, unknown>;

/** An entity and its current value. */
export interface EntityState extends EntityDescription {
  value: EntityValue;
  attributes?: Record<string, unknown>;
}

export interface ModuleEntities<T> {
  /** The settings decide which entities there are: a missing one was removed, and will not come back. */
  isWhole?: boolean;
  /** Published as soon as the machine announces a change, not only at its interval. */
  atOnce?: boolean;
  /** With `atOnce`: its payload is expensive to serialise and rarely announced, so readings that are equal to the last one are taken as well. */
  takesEqual?: boolean;
  /** Seconds between two reads, where fewer than usual are enough; with `atOnce`, where some changes are not announced. */
  atMostEvery?: number;
  /** For payloads that are expensive to read: one serves several reads, and `read` gets newer values without it. */
  keepsPayload?: { seconds: number; isOutdated(): boolean };
  /** `before`: the input of the previous read, for rates. */
  read(payload: T, before: EarlierPayload<T> | null): EntityState[];
  /** Only useful together with a control: shown by the control of the same key. */
  controlled?(payload: T): Record<string, ControlledState>;
  /** The same for controls that MQTT does not have. */
  clientStates?(payload: T): Record<string, ControlledState>;
  device?(payload: T): DeviceFacts;
}

export interface ControlledState {
  value: EntityValue;
  /** The choices, by their labels; the control gets the value of the label. */
  choices?: ReadonlyMap<string, string>;
}

export interface EarlierPayload<T> {
  payload: T;
  /** Seconds since then. */
  seconds: number;
}

export interface DeviceFacts {
  /** null: this machine has no lasting one. */
  id: string | null;
  name: string | null;
  manufacturer: string | null;
  model: string | null;
  mac: string | null;
  address: string | null;
}

export interface Control extends EntityDescription {
  /** The module whose `controlled` has its state; omitted: it has none. */
  module?: string;
  /** The input of the action for a received value; null: the value is invalid. */
  toInput(sent: string): Record<string, unknown> | null;
}

export interface EntityEvent {
  key: string;
  type: string;
  data: Record<string, unknown>;
}

type Extra = Omit<EntityState, 'key' | 'name' | 'value' | 'component'>;

/** A number entity, as long as its value is a number or unknown. */
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

export function roundedTo(value: number | null, decimals: number): number | null {
  return value === null ? null : Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** Growth of a count, per second; null: not known yet, or the count was reset. */
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

/** Different names can give the same key: the later ones get a number. */
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

type Described = Omit<Control, 'component' | 'toInput'>;

/** `toInput`: the input of the action that switches it on or off. */
export const switchControl = (
  described: Described,
  toInput: (on: boolean) => Record<string, unknown> = (on) => ({ on }),
): Control => ({
  ...described,
  component: 'switch',
  toInput: (sent) => (sent === 'ON' || sent === 'OFF' ? toInput(sent === 'ON') : null),
});

export const buttonControl = (described: Described, input: Record<string, unknown> = {}): Control => ({
  ...described,
  component: 'button',
  toInput: (sent) => (sent === 'PRESS' ? input : null),
});

/** A slider from 0 to 100. */
export const percentControl = (
  described: Described,
  toInput: (percent: number) => Record<string, unknown>,
): Control => ({
  ...described,
  component: 'number',
  unit: '%',
  min: 0,
  max: 100,
  step: 1,
  toInput(sent) {
    const percent = /^-?\d{1,9}(?:\.\d{1,9})?$/.test(sent) ? Number(sent) : Number.NaN;
    return percent >= 0 && percent <= 100 ? toInput(percent) : null;
  },
});

/** For an action that takes VOLUME. */
export const volumeControl = (key: string, name: string, module: string): Control =>
  percentControl({ key, name, module, icon: 'mdi:volume-high' }, (value) => ({ action: 'VOLUME', value }));

/** null: not a JSON object. */
export function objectSent(sent: string): Record<string, unknown> | null {
  try {
    const value = parseBoundedJson(sent);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
