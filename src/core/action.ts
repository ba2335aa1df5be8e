import type { z } from 'zod';
import type { Budgets } from '../access/limits/budgets.ts';
import type { Scope } from '../access/scopes.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsLocks } from '../settings/locks.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AgentUse } from './agent.ts';
import type { Alerts } from './alerts.ts';
import type { Gate } from './authenticator.ts';
import type { Caller } from './caller.ts';
import type { ControlPause } from './control-pause.ts';
import type { OpenQuestions } from './prompts/open-prompt.ts';
import type { Reading } from './reading.ts';
import type { Control, EntityDescription, EntityEvent, EntityValue } from './readings/entities.ts';
import type { History } from './readings/history.ts';

/** What actions may use of the service. `H`: the machine, as the platform knows it whose code this is. */
export interface ActionParts<H extends Host = Host> {
  host: H;
  log: Log;
  settings(): Settings;
  /** The settings as this caller may see them: secrets in URLs are masked unless the caller may change them. */
  shownSettings(caller: Caller): Promise<Settings>;
  /** What the administrator of the machine has locked; null, or left out: nothing. */
  settingsLocks?(): SettingsLocks | null;
  /** Merges, checks and saves; refuses what this caller may not change. */
  changeSettings(patch: unknown, caller: Caller): Promise<Settings>;
  /** The data of a module, as any client gets it. Rejects with not_found and the reason. */
  read(module: string): Promise<Reading>;
  audience: Audience;
  /** What callers may spend. */
  budgets: Budgets;
  /** The past of the machine. */
  history: History;
  /** What is watched; left out: this service watches nothing. */
  alerts?: Alerts;
  /** Whether actions are refused for a while. */
  controlPause: ControlPause;
  /** Whether the token that ordered something earlier is still good for it. */
  admits: Gate['admits'];
  /** The question of ours that is on the screen; left out: this service asks nothing. */
  questions?: Pick<OpenQuestions, 'current' | 'onChange'>;
  /** Ends the service in an orderly way, a moment later, so that the answer still goes out. */
  exit(): void;
}

/** Those who are connected and listen. */
export interface Audience {
  count(): number;
  /** Called when the first one comes and when the last one has gone. */
  onChange(changed: () => void): () => void;
  /** Everything listened to is read and pushed now; resolves when it was handed to the system, or after the limit. */
  refresh(limitMs: number): Promise<void>;
}

export interface ActionContext<H extends Host = Host> extends ActionParts<H> {
  caller: Caller;
  /** Sends a message to whoever asked, before the answer or long after it. Nothing happens where there is no way back. */
  tell(type: string, data: unknown): void;
  /** Says what became of it later, where that is shown (`onTold` of its entities). Clients of the WebSocket do not get it. */
  report?(type: string, data: unknown): void;
  /**
   * Everything that takes time obeys it: aborts, with the ServiceError to answer with, when the connection closes, the call is
   * cancelled or the token is no longer valid. Looking at it costs something, so short actions do not.
   */
  readonly signal: AbortSignal;
  /** The same for orders that are carried out even if nobody waits for the answer: a closed connection alone does not abort it. */
  readonly orderSignal: AbortSignal;
  /** What lasts between runs: made at first use, one per service, closed with it. The function is its name. */
  keep<T extends object>(make: (parts: ActionParts<H>) => T): T;
}

/** What actions answer. HTTP sends both; the WebSocket sends `data` and, where it is not empty, the message. */
export interface ActionResult<R = unknown> {
  message: string;
  data: R;
}

/** The names of an action in WebSocket messages. */
export interface WireNames {
  event: string;
  reply: string;
  /** Older names of the same action, each with its own reply. */
  aliases?: readonly { event: string; reply: string }[];
  /** Types of the messages it tells on the way. */
  tells?: readonly string[];
}

export interface ActionDefinition<I = unknown, R = unknown> {
  /** Gives the route (`power.lock` → `POST /api/power/lock`) and the command (`hostler do power.lock`); other names are data below. */
  name: string;
  description: string;
  input(): Promise<z.ZodType<I>>;
  output(): Promise<z.ZodType<R>>;
  /** Said while an order to do it waits: "The machine will restart". */
  will?: string;
  /** Any one of these is enough. */
  scopes: readonly Scope[];
  /** `read` changes nothing, `write` changes something, `disrupt` also gets in the way of whoever is using the machine. */
  effect: 'read' | 'write' | 'disrupt';
  /** Works while control is paused: what ends the pause, and what takes something back. Those that read do unless they say false. */
  duringPause?: boolean;
  /** An input as people would send it: the documents and the command line show it. */
  example: I;
  /** The most bytes of a body over HTTP, where it takes more than others. A message of the WebSocket has its own limit. */
  inputBytes?: number;
  /** Where HTTP answers it to GET, with its input in the query and its data as the answer; for actions that only read. */
  readAt?: string;
  /** The same with the field `id` of its input as the end of the path: `/api/processes/{id}`. */
  readBelow?: `/api/${string}/{id}`;
  wire: WireNames;
  /** Its data holds a picture of one of these media types: HTTP answers with nothing else unless JSON is asked for, and agents get to see it. */
  picture?: { types: readonly string[]; typeOf(data: R): string; base64(data: R): string };
  /** How agents see it; left out: not at all. */
  agent?: AgentUse<R>;
  /** What home automation may control by it; loaded when it is told. */
  entities?(): Promise<ActionEntities>;
  /** What it keeps from the start of the service on, rather than from its first run. Must load nothing and start no timer. */
  fromStart?: (parts: ActionParts) => object;
  /** null when it would work here, else what is missing and how to get it. */
  unavailable(parts: Pick<ActionParts, 'host' | 'log' | 'settings'>): Promise<string | null>;
  run(input: I, context: ActionContext): Promise<ActionResult<R>>;
}

/** What an action offers for control. */
export interface ActionEntities {
  controls?(settings: Settings): readonly Control[];
  /** Announced with it, where something happens that is told by an event or shown as a state. */
  shown?: readonly EntityDescription[];
  /** What becomes of a message the action told (`tell`, `report`). */
  onTold?(type: string, data: unknown): EntityEvent | null;
  onDone?(result: ActionResult): EntityEvent | null;
  /** Calls back with the states of what is shown, now and whenever one changes; returns the way to stop. */
  follow?(keep: ActionContext['keep'], changed: (states: Record<string, EntityValue>) => void): () => void;
}

export function defineAction<I, R>(definition: ActionDefinition<I, R>): ActionDefinition<I, R> {
  return definition;
}

/** What an action was given, on the machine that its platform's code was made for: they are one and the same. */
export function contextOn<H extends Host>(context: ActionContext, host: H): ActionContext<H> {
  if (context.host !== host) throw new Error('an action was given another machine than its platform was');
  return context as ActionContext<H>;
}
