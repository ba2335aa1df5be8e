import type { FeatureScopeDeclarations } from '../access/scopes.ts';
import type { NativeLibrary } from '../host/native-library.ts';
import type { Later } from '../lib/later.ts';
import type { ThreadJob } from '../lib/thread.ts';
import type { FeatureSettingsSections } from '../settings/sections.ts';
import type { ActionDefinition } from './action.ts';
import type { Advertising } from './advertising.ts';
import type { CommandContext, CommandDefinition } from './command.ts';
import { defineModule, type ModuleDefinition } from './module.ts';
import type { PerPlatform } from './platform.ts';

/**
 * One noun of the machine: what can be read about it and what can be done with it, on every platform, in one folder. Transports, the command
 * line, documents and settings iterate over the list of features.
 */
export interface Feature<T = unknown> {
  name: string;
  /** The name for people. */
  title: string;
  /** What can be read; null: nothing. */
  module: ModuleDefinition<T> | null;
  actions: readonly ActionDefinition[];
  /** Scopes that tokens may be granted for it alone. Lists, prompts and documents are derived from them. */
  scopes: FeatureScopeDeclarations;
  /** Its sections of the settings, each with its schema in `<name>.settings.schema.ts` as `<section>SettingsSchema`. */
  settings: FeatureSettingsSections;
  commands: readonly CommandDefinition[];
  /** Compares the module with the output of a vendor's tool; null: there is no such tool. */
  selfTest: SelfTest | null;
  /** How other hosts on the link find this machine; null: the feature has no part in it. */
  advertising: PerPlatform<Later<Advertising>> | null;
  /** Jobs that run in threads; their names begin with the name of the feature and a dot. */
  threads: ThreadJobs;
  /** Native libraries that are called in a thread, by their names. */
  libraries: Record<string, () => Promise<NativeLibrary>>;
}

export type ThreadJobs = Record<string, () => Promise<ThreadJob>>;

export interface SelfTest {
  /** `gpu` for `self-test gpu`. */
  part: string;
  run: () => Promise<(context: CommandContext) => Promise<void>>;
}

export interface FeatureParts<T> extends Partial<Omit<Feature<T>, 'name' | 'title' | 'module'>> {
  name: string;
  title: string;
  module?: Omit<ModuleDefinition<T>, 'name'>;
}

export function defineFeature<T>(
  parts: FeatureParts<T> & { module: object },
): Feature<T> & { module: ModuleDefinition<T> };
export function defineFeature(parts: FeatureParts<never>): Feature;
export function defineFeature<T>({ module, ...parts }: FeatureParts<T>): Feature<T> {
  return {
    actions: [],
    scopes: {},
    settings: {},
    commands: [],
    selfTest: null,
    advertising: null,
    threads: {},
    libraries: {},
    ...parts,
    module: module === undefined ? null : defineModule<T>({ name: parts.name, ...module }),
  };
}
