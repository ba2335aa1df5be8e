import type { ControlledState, EntityState, EntityValue } from '../../core/readings/entities.ts';

/** The payload of one module's values topic. */
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

/** The bytes of a picture; none if it is a web address. */
export function pictureIn(value: EntityValue): Uint8Array {
  const encoded = typeof value === 'string' ? dataUrl.exec(value)?.[1] : undefined;
  return encoded === undefined
    ? new Uint8Array(0)
    : Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}
