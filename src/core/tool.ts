import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { ReadFailedUnits } from '../host/failed-units.ts';
import type { Listener } from './poller.ts';
import type { Reading } from './reading.ts';
import type { History } from './readings/history.ts';
import type { ModuleState } from './store.ts';

/** What a tool may use: the modules as any client gets them, and the one who waits for its answer. */
export interface ToolContext {
  modules: readonly string[];
  /** Rejects with not_found, and the reason, for a module that is unknown or does not exist now. */
  read(module: string): Promise<Reading>;
  describe(): Promise<ModuleState[]>;
  listen(module: string, listener: Listener): () => void;
  history: Pick<History, 'read'>;
  /** What the system was to keep running and failed. */
  failedUnits: ReadFailedUnits;
  /** Unix milliseconds. */
  now(): number;
  after(ms: number, callback: () => void): () => void;
  /** The one who asked has gone, or wants it no more. */
  signal: AbortSignal;
  /** Said on the way, where somebody wants to hear it. */
  progress(done: number, total: number, message: string): void;
}

/** A question about the machine, shaped for agents: it may join modules and says no more than is needed. Reads only. */
export interface ToolDefinition<I = unknown, O = unknown> {
  /** As agents see it, `list_processes`. */
  name: string;
  title: string;
  description: string;
  input(modules: readonly string[]): Promise<z.ZodType<I>>;
  /** An object at its root: clients refuse anything else. */
  output(): Promise<z.ZodType<O>>;
  /** Any one of these is enough. */
  scopes: readonly Scope[];
  /** Where what it answers without arguments can be read, and changes when one of these modules does. */
  resource?: { uri: string; description: string; modules: readonly string[]; everyMs: number };
  /** Left out but by the one whose answer is what the resource of a module says: its input for that. */
  ofModule?(module: string): I;
  run(input: I, context: ToolContext): Promise<O>;
}

export function defineTool<I, O>(definition: ToolDefinition<I, O>): ToolDefinition<I, O> {
  return definition;
}

/** A question an agent's user can start from; the agent gets the text. */
export interface PromptDefinition {
  name: string;
  title: string;
  description: string;
  text: string;
}

/** Everything agents get that is no action. */
export interface AgentKit {
  tools: readonly ToolDefinition[];
  prompts: readonly PromptDefinition[];
  /** What an agent should know before it begins, made for the tools that it has. */
  instructions(tools: ReadonlySet<string>): string;
}
