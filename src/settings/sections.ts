import type { z } from 'zod';
import type { ModuleDefinition } from '../core/module.ts';
import type { FeatureSettings, Settings } from './settings.schema.ts';

/** Throws a sentence where a change names what does not exist. */
export type SettingsCheck = (before: Settings, after: Settings) => void;

/** One section of the settings, as its feature declares it. Key names are relative to the section. */
export interface SettingsSection<T = unknown, Key extends string = string> {
  /** Loaded when a file, a change or a document needs it: the start needs no schema library. */
  schema(): Promise<z.ZodType<T>>;
  /** Values without a settings file. */
  defaults: T;
  /** The section before it in documents and forms; omitted: it comes last. */
  after?: string;
  /** Clients on other machines can change it. Not for what grants execution or file access, or sends secrets somewhere. */
  remote?: true;
  /** Keys that can be changed only in the file or by the CLI. */
  ownerOnly?: readonly Key[];
  /** Keys that can be changed only on the machine itself, even with security.remoteAdmin. */
  localOnly?: readonly Key[];
  /** Keys of URLs that may contain secrets: masked for callers that cannot change them. `webhooks.url`: the url of each entry of a list. */
  secretUrls?: readonly string[];
  /** Checks what the schema cannot know; loaded when the section is changed. */
  check?(modules: readonly ModuleDefinition[]): Promise<SettingsCheck>;
}

export type FeatureSettingsSections = {
  readonly [K in keyof FeatureSettings]?: SettingsSection<FeatureSettings[K], keyof FeatureSettings[K] & string>;
};
