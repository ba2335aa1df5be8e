import { signal } from '@preact/signals';
import type { ModuleState } from './empty-module.ts';
import { ask } from './session.ts';

/** One entry of GET /api/actions. */
export interface ActionState {
  name: string;
  event: string;
  scopes: string[];
  allowed: boolean;
  available: boolean;
  reason: string | null;
}

/** Empty until loaded. */
export const moduleStates = signal<ModuleState[]>([]);
export const actionStates = signal<ActionState[]>([]);

/** Without what changes with every read, with the ETag of the last answer. */
const lists = [
  { path: '/api/modules?fields=name,description,interval_ms,availability,reasons', etag: '' },
  { path: '/api/actions?fields=name,event,scopes,allowed,available,reason', etag: '' },
];

const planned: { timer: ReturnType<typeof setTimeout> | null } = { timer: null };

export async function refreshStates(): Promise<void> {
  const [modules, actions] = await Promise.all(lists.map(changedList));
  if (modules !== null) moduleStates.value = modules as ModuleState[];
  if (actions !== null) actionStates.value = actions as ActionState[];
}

/** One request for all changes until then. */
export function refreshStatesSoon(afterMs = 1500): void {
  planned.timer ??= setTimeout(() => {
    planned.timer = null;
    void refreshStates();
  }, afterMs);
}

/** null: it is as it was, or could not be loaded. */
async function changedList(list: { path: string; etag: string }): Promise<unknown> {
  const response = await ask(list.path, { headers: { 'If-None-Match': list.etag } }).catch(() => null);
  if (!response?.ok) return null;
  const body = await response.json().catch(() => null);
  if (body !== null) list.etag = response.headers.get('ETag') ?? '';
  return body;
}

export const stateOf = (module: string): ModuleState | undefined =>
  moduleStates.value.find(({ name }) => name === module);

/** Why an event cannot be sent; null: it can, as far as is known. */
export function obstacle(event: string): string | null {
  const state = actionStates.value.find((action) => action.event === event);
  if (state === undefined)
    return actionStates.value.length === 0 ? null : 'This version of the service does not support that.';
  if (!state.allowed) return `The token you signed in with lacks the scope ${state.scopes.join(' or ')}.`;
  return state.available ? null : state.reason;
}

/** The obstacle that all these events share, apart from their names; null: they differ. */
export function sharedObstacle(events: readonly string[]): string | null {
  const reasons = events.map((event) => {
    const name = actionStates.value.find((action) => action.event === event)?.name ?? event;
    return obstacle(event)?.replace(name, 'This') ?? null;
  });
  const [first = null] = reasons;
  return reasons.every((reason) => reason === first) ? first : null;
}
