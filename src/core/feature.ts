import type { FeatureScopeDeclarations } from '../access/scopes.ts';
import type { FeatureSettingsSections } from '../settings/sections.ts';
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
  /** What tokens may be granted for it alone. Other files derive lists, prompts and documents from it. */
  scopes: FeatureScopeDeclarations;
  /** Its sections of the settings, each with its schema in `<name>.settings.schema.ts` as `<section>SettingsSchema`. */
  settings: FeatureSettingsSections;
}

export interface FeatureParts<T> {
  name: string;
  title: string;
  module?: Omit<ModuleDefinition<T>, 'name'>;
  actions?: readonly ActionDefinition[];
  scopes?: FeatureScopeDeclarations;
  settings?: FeatureSettingsSections;
}

export function defineFeature<T>(
  parts: FeatureParts<T> & { module: object },
): Feature<T> & { module: ModuleDefinition<T> };
export function defineFeature(parts: FeatureParts<never>): Feature;
export function defineFeature<T>({
  name,
  title,
  module,
  actions = [],
  scopes = {},
  settings = {},
}: FeatureParts<T>): Feature<T> {
  const defined = module === undefined ? null : defineModule<T>({ name, ...module });
  return { name, title, module: defined, actions, scopes, settings };
}
