import { computed, effect } from '@preact/signals';
import { actionStates, moduleStates, stateOf } from '../state/availability.ts';
import { ownKey } from '../state/base-path.ts';
import { isEmptyModule } from '../state/empty-module.ts';
import { session } from '../state/session.ts';
import { pausedControl } from '../state/status.ts';
import { type View, views } from '../views/index.ts';

/** In this browser until the next sign-out: the side bar must not change while the page loads. Only paths. */
const key = ownKey('hostler-absent-views');

/** Paths of the views that this machine cannot fill. */
const absent = computed<readonly string[]>(() =>
  moduleStates.value.length === 0 || actionStates.value.length === 0
    ? remembered()
    : views.filter(isEmptyView).map(({ path }) => path),
);

export const isPresent = ({ path }: View): boolean => !absent.value.includes(path);

function isEmptyView({ module, fields, events }: View): boolean {
  if (module !== undefined) return fields !== undefined && isEmptyModule(stateOf(module), fields);
  // A pause refuses every action for a while; the machine still has them.
  if (events === undefined || pausedControl.value !== null) return false;
  return events.every((event) => actionStates.value.some((each) => each.event === event && !each.available));
}

function remembered(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.map(String) : [];
  } catch {
    return [];
  }
}

const last = { isSignedIn: false };

effect(() => {
  const isSignedIn = session.value !== null;
  if (last.isSignedIn && !isSignedIn) localStorage.removeItem(key);
  else if (isSignedIn && moduleStates.value.length > 0) localStorage.setItem(key, JSON.stringify(absent.value));
  last.isSignedIn = isSignedIn;
});
