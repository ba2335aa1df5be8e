import { computed, effect } from '@preact/signals';
import { actionStates, moduleStates, stateOf } from '../state/availability.ts';
import { isEmptyModule } from '../state/empty-module.ts';
import { session } from '../state/session.ts';
import { pausedControl } from '../state/status.ts';
import { storedChoice } from '../state/stored-choice.ts';
import { type View, views } from '../views/index.ts';

/** In this browser until the next sign-out: the side bar must not change while the page loads. Only paths. */
const remembered = storedChoice('absent-views', []);

const absent = computed<readonly string[]>(() =>
  moduleStates.value.length === 0 || actionStates.value.length === 0
    ? remembered.chosen.peek()
    : views.filter(isEmptyView).map(({ path }) => path),
);

export const isPresent = ({ path }: View): boolean => !absent.value.includes(path);

function isEmptyView({ module, fields, events }: View): boolean {
  if (module !== undefined) return fields !== undefined && isEmptyModule(stateOf(module), fields);
  // A pause refuses every action for a while; the machine still has them.
  if (events === undefined || pausedControl.value !== null) return false;
  return events.every((event) => actionStates.value.some((each) => each.event === event && !each.available));
}

const last = { isSignedIn: false };

effect(() => {
  const isSignedIn = session.value !== null;
  if (last.isSignedIn && !isSignedIn) remembered.set([]);
  else if (isSignedIn && moduleStates.value.length > 0) remembered.set([...absent.value]);
  last.isSignedIn = isSignedIn;
});
