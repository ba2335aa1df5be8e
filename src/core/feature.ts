import type { ActionDefinition } from './action.ts';
import type { CommandContext, CommandDefinition } from './command.ts';
import { defineModule, type ModuleDefinition } from './module.ts';

/**
 * One noun of the machine: what can be read about it and what can be done with it, on every platform, in one folder. Transports, the command
 * line, documents and settings iterate over the list of features.
 */
export interface Feature<T = unknown> {
  name: string;
  /** What people call it. */
  title: string;
  /** What can be read; null: nothing. */
  module: ModuleDefinition<T> | null;
  /** What can be done. */
  actions: readonly ActionDefinition[];
  /** What can be typed. */
  commands: readonly CommandDefinition[];
  /** Compares what the module says with what the tool of a vendor says; null: there is no such tool. */
  selfTest: SelfTest | null;
}

export interface SelfTest {
  /** `gpu` for `self-test gpu`. */
  part: string;
  run: () => Promise<(context: CommandContext, options: { json?: boolean }) => Promise<void>>;
}

export interface FeatureParts<T> {
  name: string;
  title: string;
  module?: Omit<ModuleDefinition<T>, 'name'>;
  actions?: readonly ActionDefinition[];
  commands?: readonly CommandDefinition[];
  selfTest?: SelfTest;
}

export function defineFeature<T>(
  parts: FeatureParts<T> & { module: object },
): Feature<T> & { module: ModuleDefinition<T> };
export function defineFeature(parts: FeatureParts<never>): Feature;
export function defineFeature<T>(parts: FeatureParts<T>): Feature<T> {
  const { name, title, module, actions = [], commands = [], selfTest = null } = parts;
  return {
    name,
    title,
    module: module === undefined ? null : defineModule<T>({ name, ...module }),
    actions,
    commands,
    selfTest,
  };
}
