import type { ControlledState, EntityState, EntityValue } from '../../core/readings/entities.ts';

/** What stands on the topic of values of one module. */
export interface ShownValues {
  values: Record<string, EntityValue>;
  /** Of those that can be controlled: what can be chosen, by the words that people see. */
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

/** The bytes of a picture; none where it is not here, but somewhere on the web. */
export function pictureIn(value: EntityValue): Uint8Array {
  const encoded = typeof value === 'string' ? dataUrl.exec(value)?.[1] : undefined;
  return encoded === undefined
    ? new Uint8Array(0)
    : Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}
