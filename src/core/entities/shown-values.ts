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

/** Changes with the available choices. */
export const choicesPrint = (values: ShownValues | undefined): string =>
  JSON.stringify([...(values?.choices ?? [])].map(([key, choices]) => [key, ...choices.keys()]));

/** Changes with the announcement of a module. */
export const printOf = (name: string, states: readonly EntityState[]): string =>
  states.reduce(
    (print, { key, name, value, isOff, options }) =>
      `${print};${key},${name},${value === null},${isOff ?? false},${options?.length ?? 0}`,
    name,
  );
