import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { ReadFailedUnits } from '../host/failed-units.ts';
import type { Reading } from './reading.ts';
import type { History } from './readings/history.ts';
import type { Listener } from './store/poller.ts';
import type { ModuleState } from './store.ts';

/** What a tool may use: the modules as any client gets them, and the client that waits for the result. */
export interface ToolContext {
  modules: readonly string[];
  /** Rejects with not_found, and the reason, for a module that is unknown or does not exist now. */
  read(module: string): Promise<Reading>;
  describe(): Promise<ModuleState[]>;
  listen(module: string, listener: Listener): () => void;
  history: Pick<History, 'read'>;
  /** Units that the system should keep running and that failed. */
  failedUnits: ReadFailedUnits;
  /** Unix milliseconds. */
  now(): number;
  after(ms: number, callback: () => void): () => void;
  /** Aborts when the client is gone or cancels. */
  signal: AbortSignal;
  /** Reports progress, if the client wants it. */
  progress(done: number, total: number, message: string): void;
}

/** A query about the machine, shaped for agents: it may join modules and returns only what is needed. Reads only. */
export interface ToolDefinition<I = unknown, O = unknown> {
  /** The name for agents, such as `list_processes`. */
  name: string;
  title: string;
  description: string;
  input(modules: readonly string[]): Promise<z.ZodType<I>>;
  /** An object at its root: clients reject anything else. */
  output(): Promise<z.ZodType<O>>;
  /** Any one of these is enough. */
  scopes: readonly Scope[];
  /** A resource with the result without arguments. It changes when one of these modules does. */
  resource?: { uri: string; description: string; modules: readonly string[]; everyMs: number };
  /** Only for the tool whose result is the resource of a module: the input for it. */
  ofModule?(module: string): I;
  run(input: I, context: ToolContext): Promise<O>;
}

export function defineTool<I, O>(definition: ToolDefinition<I, O>): ToolDefinition<I, O> {
  return definition;
}

/** A prompt template: the agent gets the text. */
export interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  text: string;
}

/** Everything for agents that is not an action. */
export interface AgentKit {
  tools: readonly ToolDefinition[];
  prompts: readonly PromptDefinition[];
  /** `grantPower`: the command that grants power orders; null: none does. */
  instructions(tools: ReadonlySet<string>, grantPower: string | null): string;
}
