import type { NativeLibrary } from '../host/native-library.ts';
import type { ThreadJob } from '../lib/thread.ts';
import type { ActionDefinition } from './action.ts';
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
  /** Jobs for threads of its own, by names that begin with the name of the feature and a dot. */
  threads: ThreadJobs;
  /** Native libraries that are called in a thread, by their names. */
  libraries: Record<string, () => Promise<NativeLibrary>>;
}

export type ThreadJobs = Record<string, () => Promise<ThreadJob>>;

export interface FeatureParts<T> {
  name: string;
  title: string;
  module?: Omit<ModuleDefinition<T>, 'name'>;
  actions?: readonly ActionDefinition[];
  threads?: ThreadJobs;
  libraries?: Feature['libraries'];
}

export function defineFeature<T>(
  parts: FeatureParts<T> & { module: object },
): Feature<T> & { module: ModuleDefinition<T> };
export function defineFeature(parts: FeatureParts<never>): Feature;
export function defineFeature<T>(parts: FeatureParts<T>): Feature<T> {
  const { name, title, module, actions = [], threads = {}, libraries = {} } = parts;
  const defined = module === undefined ? null : defineModule<T>({ name, ...module });
  return { name, title, module: defined, actions, threads, libraries };
}
