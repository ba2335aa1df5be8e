import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { Host } from '../host/host.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Caller } from './caller.ts';
import type { Log } from './log.ts';

export interface ActionContext {
  host: Host;
  settings(): Settings;
  log: Log;
  caller: Caller;
}

/** What actions answer, and what `POST /api/…` sends. */
export interface ActionResult {
  message: string;
  data: Record<string, unknown>;
}

export interface ActionDefinition<I = unknown> {
  /** `power.lock` → `POST /api/power/lock`, event POWER_LOCK, command `power lock`. */
  name: string;
  description: string;
  input(): Promise<z.ZodType<I>>;
  scope: Scope;
  /** `read` changes nothing, `write` can be undone, `disrupt` interrupts the user. */
  effect: 'read' | 'write' | 'disrupt';
  /** Whether the HTTP interface has it; most actions are for the WebSocket only. */
  http: boolean;
  /** null when it would work here, else what is missing and how to get it. */
  unavailable(context: Omit<ActionContext, 'caller'>): Promise<string | null>;
  run(input: I, context: ActionContext): Promise<ActionResult>;
}

export function defineAction<I>(definition: ActionDefinition<I>): ActionDefinition<I> {
  return definition;
}
