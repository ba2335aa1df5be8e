import { signal } from '@preact/signals';
import { get } from './live.ts';

/** One entry of GET /api/actions. */
export interface ActionState {
  name: string;
  event: string;
  scopes: string[];
  allowed: boolean;
  available: boolean;
  reason: string | null;
}

export const actionStates = signal<ActionState[]>([]);

export async function refreshActionStates(): Promise<void> {
  const response = await get('/api/actions').catch(() => null);
  if (response?.ok) actionStates.value = await response.json();
}

/** Why an event cannot be sent; null: it can, as far as is known. */
export function obstacle(event: string): string | null {
  const state = actionStates.value.find((action) => action.event === event);
  if (state === undefined)
    return actionStates.value.length === 0 ? null : 'This version of the service cannot do that.';
  if (!state.allowed) return `The token you signed in with lacks the scope ${state.scopes.join(' or ')}.`;
  return state.available ? null : state.reason;
}
