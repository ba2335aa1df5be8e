import type { z } from 'zod';
import type { Scope } from '../access/scopes.ts';
import type { ModuleDefinition } from '../core/module.ts';
import { insertAfter } from '../lib/insert-after.ts';
import { lazily } from '../lib/lazily.ts';
import type { PlainRules } from './plain-settings.ts';
import { baseProtection, baseSecretUrls, type Protection } from './protection.ts';
import type { FeatureSettingsSections, SettingsCheck, SettingsSection } from './sections.ts';
import type { FeatureSettings, Settings } from './settings.schema.ts';

/** The settings of the program: the base sections and those of features. */
export interface SettingsCatalogue {
  /** Names of the sections, in the order of documents and forms. */
  order: readonly string[];
  defaults: Settings;
  protection: Protection;
  /** Dotted keys of URLs that may contain secrets. */
  secretUrls: readonly string[];
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

/** The base values without a settings file. Separate from the schema, so that starting needs no schema library. */
export const baseDefaults: Omit<Settings, keyof FeatureSettings> = {
  autostart: false,
  systemTray: false,
  hotkeys: [],
  logLevel: 'INFO',
  logFormat: 'text',
  modules: {},
  server: {
    host: '',
    port: 9170,
    plain: 'everywhere',
    tls: 'off',
    tlsPort: 9171,
    tlsCertificate: '',
    tlsKey: '',
    basePath: '',
    trustedProxies: [],
  },
  security: { allowedHosts: [], allowedOrigins: [], remoteAdmin: false },
  mcp: { mode: 'standard', allowRemote: false, tools: [], commands: [], trustClientConfirmation: false, oauth: true },
  pairing: { enabled: true },
  discovery: { enabled: true, quiet: false },
  metrics: { enabled: true },
  glances: { enabled: false, privatePath: false },
  mqtt: {
    url: '',
    username: '',
    caFile: '',
    certificateFile: '',
    keyFile: '',
    serverName: '',
    topic: 'hostler',
    interval: 10,
    modules: [],
    scopes: ['read'],
    discovery: 'device',
  },
  otlp: { endpoint: '', encoding: 'protobuf', interval: 60, headersFile: '', caFile: '' },
  dashboard: { machines: [] },
};
