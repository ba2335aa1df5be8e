import type { z } from 'zod';
import type { Budgets } from '../access/limits/budgets.ts';
import type { Scope } from '../access/scopes.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsLocks } from '../settings/locks.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AgentUse } from './agent.ts';
import type { Alerts } from './alerts.ts';
import type { Authenticator } from './authenticator.ts';
import type { Caller } from './caller.ts';
import type { Clients } from './clients.ts';
import type { ControlPause } from './control-pause.ts';
import type { OpenPrompts } from './prompts/open-prompt.ts';
import type { Reading } from './reading.ts';
import type { Control, EntityDescription, EntityEvent, EntityValue } from './readings/entities.ts';
import type { History } from './readings/history.ts';

/** What actions may use of the service. `H`: the host type of the platform. */
export interface ActionParts<H extends Host = Host> {
  host: H;
  log: Log;
  settings(): Settings;
  /** The settings as this caller may see them: secrets in URLs are masked unless the caller may change them. */
  shownSettings(caller: Caller): Promise<Settings>;
  /** What the administrator of the machine has locked; null or omitted: nothing. */
  settingsLocks?(): SettingsLocks | null;
  /** Merges, checks and saves; refuses what this caller may not change. */
  changeSettings(patch: unknown, caller: Caller): Promise<Settings>;
  /** The data of a module, as any client gets it. Rejects with not_found and the reason. */
  read(module: string): Promise<Reading>;
  subscribers: Subscribers;
  budgets: Budgets;
  history: History;
  /** The alerts; omitted: this service has none. */
  alerts?: Alerts;
  controlPause: ControlPause;
  /** Whether the token that scheduled something earlier still grants it. */
  admits: Authenticator['admits'];
  /** Calls back when a token was created, changed or revoked; returns the function that stops it. */
  onTokensChange: Authenticator['follow'];
  /** Sends a message to the connected clients of a token, where the connection that asked for it has ended; false: there are none. */
  deliver?: Clients['deliver'];
  /** The prompt that is open; omitted: this service shows none. */
  prompts?: Pick<OpenPrompts, 'current' | 'opened' | 'onChange' | 'answer' | 'holdOff'>;
  /** Shuts the service down a moment later, so that the response is still sent. */
  exit(): void;
}

export interface Subscribers {
  count(): number;
  /** Called when the first one connects and when the last one disconnects. */
  onChange(changed: () => void): () => void;
  /** Reads and pushes everything that has listeners now; resolves when it was passed to the system, or after the limit. */
  refresh(limitMs: number): Promise<void>;
}

export interface ActionContext<H extends Host = Host> extends ActionParts<H> {
  caller: Caller;
  /** Sends a message to the client, before the response or long after it. Does nothing where the client cannot be reached. */
  notify(type: string, data: unknown): void;
  /** Reports a later outcome to where it is shown (`onMessage` of its entities). WebSocket clients do not get it. */
  report?(type: string, data: unknown): void;
  /**
   * Aborts, with the ServiceError to answer with, when the connection closes, the call is cancelled or the token is no longer valid.
   * Everything that takes time obeys it. Creating it has a cost, so short actions do not use it.
   */
  readonly signal: AbortSignal;
  /** The same for orders that are carried out without a waiting client: a closed connection does not abort it. */
  readonly orderSignal: AbortSignal;
  /** State between runs: created at first use, one per service, closed with it. The function is its key. */
  keep<T extends object>(make: (parts: ActionParts<H>) => T): T;
}

/** The result of an action. HTTP sends both; the WebSocket sends `data` and, where it is not empty, the message. */
export interface ActionResult<R = unknown> {
  message: string;
  data: R;
}

export interface WireNames {
  event: string;
  reply: string;
  /** Older names of the same action, each with its own reply. */
  aliases?: readonly { event: string; reply: string }[];
  /** Types of the messages it sends before its result. */
  notifications?: readonly string[];
}

export interface ActionDefinition<I = unknown, R = unknown> {
  /** Determines the route (`power.lock` → `POST /api/power/lock`) and the command (`hostler do power.lock`); other names are data below. */
  name: string;
  description: string;
  input(): Promise<z.ZodType<I>>;
  output(): Promise<z.ZodType<R>>;
  /**
   * What it does with this input, for the history: the name of the command. It contains nothing that the settings do not name, because the
   * input may not be checked yet; undefined: the first clause of the description.
   */
  title?(input: Readonly<Record<string, unknown>>, settings: Settings): string | undefined;
  /** Shown while it is scheduled: "The machine will restart". */
  will?: string;
  /** Any one of these is enough. */
  scopes: readonly Scope[];
  /** `read` changes nothing, `write` changes something, `disrupt` also interrupts the user of the machine. */
  effect: 'read' | 'write' | 'disrupt';
  /** Works while control is paused: ending the pause, and cancelling. Actions that only read do so unless this is false. */
  duringPause?: boolean;
  /** A typical input, shown in the documents and on the command line. */
  example: I;
  /** The maximum size of an HTTP body in bytes, where it is larger than usual. A message of the WebSocket has its own limit. */
  inputBytes?: number;
  /** HTTP answers it to GET, with its input in the query and its data as the response; for actions that only read. */
  readAt?: string;
  /** The same with the field `id` of its input as the end of the path: `/api/processes/{id}`. */
  readBelow?: `/api/${string}/{id}`;
  wire: WireNames;
  /**
   * Its data holds a picture of one of these media types: HTTP answers with the picture alone unless JSON is requested, and agents get it
   * as an image.
   */
  picture?: { types: readonly string[]; typeOf(data: R): string; base64(data: R): string };
  /** Fields of the input that no log may contain: typed text, a text to be spoken. */
  unlogged?: readonly string[];
  /** How agents see it; omitted: they do not. */
  agent?: AgentUse<R>;
  /** What home automation may control with it; loaded when a publisher needs it. */
  entities?(): Promise<ActionEntities>;
  /** State that it has from the start of the service, not only from its first run. Must load nothing and start no timer. */
  fromStart?: (parts: ActionParts) => object;
  /** null: it would work here; otherwise what is missing and how to get it. */
  unavailable(parts: Pick<ActionParts, 'host' | 'log' | 'settings'>): Promise<string | null>;
  run(input: I, context: ActionContext): Promise<ActionResult<R>>;
}

export interface ActionEntities {
  controls?(settings: Settings): readonly Control[];
  /** Published with it, where an outcome is shown as an event or a state. */
  shown?: readonly EntityDescription[];
  /** Converts a message of the action (`notify`, `report`). */
  onMessage?(type: string, data: unknown): EntityEvent | null;
  onDone?(result: ActionResult): EntityEvent | null;
  /** Calls back with the shown states, now and after each change; returns the function that stops it. */
  follow?(keep: ActionContext['keep'], changed: (states: Record<string, EntityValue>) => void): () => void;
}

/** By each of its names in WebSocket messages: the action and its reply. */
export const byEvent = (actions: readonly ActionDefinition[]) =>
  new Map(
    actions.flatMap((action) => {
      const { event, reply, aliases = [] } = action.wire;
      return [{ event, reply }, ...aliases].map((names) => [names.event, { action, reply: names.reply }] as const);
    }),
  );

/** The schemas alone determine the types of input and result. */
export function defineAction<I, R>(
  definition: Pick<ActionDefinition<I, R>, 'input' | 'output'> & ActionDefinition<NoInfer<I>, NoInfer<R>>,
): ActionDefinition<I, R> {
  return definition;
}

/** The context of an action with the host type of its platform: the same host object. */
export function contextOn<H extends Host>(context: ActionContext, host: H): ActionContext<H> {
  if (context.host !== host) throw new Error('an action was given another machine than its platform was');
  return context as ActionContext<H>;
}
