import { pictureTypeOf } from '../../lib/picture-type.ts';
import type { ControlledState, EntityState, EntityValue } from '../readings/entities.ts';

/** The values of one module, by the keys of its entities. */
export interface ShownValues {
  values: Record<string, EntityValue>;
  /** Of controls: the values by their displayed names. */
  choices: Map<string, ReadonlyMap<string, string>>;
  /** Keys that belong to controls. */
  controlled: Set<string>;
}

export function shownValues(states: readonly EntityState[], controlled: Record<string, ControlledState>): ShownValues {
  const values: Record<string, EntityValue> = {};
  for (const { key, component, value, attributes } of states) {
    if (component !== 'image') values[key] = value;
    if (attributes !== undefined) values[`${key}_attributes`] = attributes;
  }
  const choices = new Map<string, ReadonlyMap<string, string>>();
  for (const [key, state] of Object.entries(controlled)) {
    values[key] = state.value;
    if (state.choices !== undefined) choices.set(key, state.choices);
  }
  return { values, choices, controlled: new Set(Object.keys(controlled)) };
}

const dataUrl = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=]+)$/;

/** The picture in a data URL; null: none, a web address, or of a kind that can contain scripts. Its type is that of its bytes: the URL comes from a program. */
export function pictureIn(value: EntityValue): { type: string; bytes: Uint8Array<ArrayBuffer> } | null {
  const [, encoded] = (typeof value === 'string' ? dataUrl.exec(value) : null) ?? [];
  if (encoded === undefined) return null;
  const bytes = new Uint8Array(Buffer.from(encoded, 'base64'));
  const type = pictureTypeOf(bytes);
  return type === null ? null : { type, bytes };
}

export function hasSameChoices(one: ShownValues | undefined, other: ShownValues): boolean {
  if (one === undefined || one.choices.size === 0) return other.choices.size === 0;
  return (
    one.choices.size === other.choices.size &&
    [...other.choices].every(([key, choices]) => {
      const names = [...(one.choices.get(key)?.keys() ?? [])];
      return names.length === choices.size && [...choices.keys()].every((name, index) => name === names[index]);
    })
  );
}

/** Whether two readings of a module are announced alike, whatever their values are. */
export const isSameAnnouncement = (one: readonly EntityState[] | undefined, other: readonly EntityState[]): boolean =>
  one === other ||
  (one?.length === other.length &&
    other.every(({ key, name, value, isOff, options }, index) => {
      const was = one[index];
      return (
        was?.key === key &&
        was.name === name &&
        (was.value === null) === (value === null) &&
        was.isOff === isOff &&
        was.options?.length === options?.length
      );
    }));
