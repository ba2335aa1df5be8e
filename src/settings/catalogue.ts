import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { ModuleDefinition } from '../core/module.ts';
import { insertAfter } from '../lib/insert-after.ts';
import { lazily } from '../lib/lazily.ts';
import type { PlainRules } from './plain-settings.ts';
import { baseProtection, baseSecretUrls, type Protection } from './protection.ts';
import type { FeatureSettingsSections, SettingsCheck, SettingsSection } from './sections.ts';
import { baseDefaults } from './settings.defaults.ts';
import type { Settings } from './settings.schema.ts';

/** The settings of the program: the base sections and those of features. */
export interface SettingsCatalogue {
  /** Names of the sections, in the order of documents and forms. */
  order: readonly string[];
  defaults: Settings;
  protection: Protection;
  /** Dotted keys of URLs that may contain secrets. */
  secretUrls: readonly string[];
  /** Loads the schema library. */
  schema(): Promise<z.ZodType<Settings>>;
  /** For files that need no schema; null: every file needs it. */
  plainRules(): Promise<PlainRules | null>;
  /** By the section that is changed. */
  checks: ReadonlyMap<string, () => Promise<SettingsCheck>>;
}

export function createSettingsCatalogue(
  contributions: readonly FeatureSettingsSections[],
  {
    mqttScopes,
    modules,
    plainRules = async () => null,
  }: {
    mqttScopes: readonly Scope[];
    modules: readonly ModuleDefinition[];
    plainRules?: SettingsCatalogue['plainRules'];
  },
): SettingsCatalogue {
  const sections = contributions.flatMap((each) => Object.entries<SettingsSection>(each));
  const order = insertAfter(
    Object.keys(baseDefaults),
    sections.map(([name, { after }]) => ({ name, after })),
  );
  const keysOf = (choose: (section: SettingsSection) => readonly string[] | undefined) =>
    sections.flatMap(([name, section]) => (choose(section) ?? []).map((key) => `${name}.${key}`));
  const values = new Map<string, unknown>([
    ...Object.entries(baseDefaults),
    ...sections.map(([name, { defaults }]): [string, unknown] => [name, defaults]),
  ]);
  return {
    order,
    // Each section is typed by its own schema; together they are the settings.
    defaults: Object.fromEntries(order.map((name) => [name, values.get(name)])) as Settings,
    protection: {
      remotelyChangeable: [
        ...baseProtection.remotelyChangeable,
        ...sections.flatMap(([name, { remote }]) => (remote === true ? [name] : [])),
      ],
      ownerOnly: [...baseProtection.ownerOnly, ...keysOf(({ ownerOnly }) => ownerOnly)],
      localOnly: [...baseProtection.localOnly, ...keysOf(({ localOnly }) => localOnly)],
    },
    secretUrls: [...baseSecretUrls, ...keysOf(({ secretUrls }) => secretUrls)],
    schema: lazily(async () => {
      const [{ createSettingsSchema }, ...schemas] = await Promise.all([
        import('./settings.schema.ts'),
        ...sections.map(async ([name, { schema }]): Promise<[string, z.ZodType]> => [name, await schema()]),
      ]);
      return createSettingsSchema({ order, mqttScopes, sections: Object.fromEntries(schemas) });
    }),
    plainRules,
    checks: new Map(
      sections.flatMap(([name, { check }]) => (check === undefined ? [] : [[name, () => check(modules)] as const])),
    ),
  };
}
