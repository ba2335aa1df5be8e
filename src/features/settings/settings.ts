import { defineAction } from '../../core/action.ts';
import { shownAddress } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { isEqual } from '../../lib/values.ts';
import type { SettingsCatalogue } from '../../settings/catalogue.ts';
import type { SettingsLocks } from '../../settings/locks.ts';
import type { Settings } from '../../settings/settings.schema.ts';

const schemas = () => import('./settings.schema.ts');

type LoadSchema = SettingsCatalogue['schema'];

const read = (schema: LoadSchema) =>
  defineAction<object, Settings>({
    name: 'settings.get',
    description: 'Returns all settings',
    input: async () => (await schemas()).getInputSchema,
    output: schema,
    scopes: ['command', 'admin'],
    effect: 'read',
    example: {},
    wire: { event: 'GET_SETTINGS', reply: 'SETTINGS_RESULT' },
    unavailable: async () => null,
    run: async (_input, { shownSettings, caller }) => ({ message: '', data: await shownSettings(caller) }),
  });

const locks = defineAction<object, { file: string | null; keys: string[] }>({
  name: 'settings.locks',
  description: 'Returns the settings that the administrator of the machine has locked, and the file that locks them',
  input: async () => (await schemas()).getInputSchema,
  output: async () => (await schemas()).locksSchema,
  scopes: ['command', 'admin'],
  effect: 'read',
  example: {},
  wire: { event: 'GET_SETTINGS_LOCKS', reply: 'SETTINGS_LOCKS_RESULT' },
  unavailable: async () => null,
  async run(_input, { settingsLocks }) {
    const found: SettingsLocks | null = settingsLocks?.() ?? null;
    return { message: '', data: { file: found?.file ?? null, keys: [...(found?.keys ?? [])] } };
  },
});

const update = (schema: LoadSchema) =>
  defineAction<Record<string, unknown>, Settings>({
    name: 'settings.update',
    description:
      'Changes settings; those not sent keep their values, and those the administrator has locked cannot be changed',
    input: async () => (await schemas()).patchSchema,
    output: schema,
    scopes: ['admin'],
    effect: 'write',
    example: { logLevel: 'DEBUG' },
    wire: { event: 'UPDATE_SETTINGS', reply: 'SETTINGS_UPDATED' },
    unavailable: async () => null,
    async run(patch, { settings, shownSettings, changeSettings, caller, log }) {
      const before = settings();
      const after = await changeSettings(patch, caller);
      const changed = sections(after).filter((key) => !isEqual(before[key], after[key]));
      if (changed.length > 0) {
        log.info(
          `settings: ${caller.tokenName} at ${shownAddress(caller.connection().address)} changed ${changed.join(', ')}`,
        );
      }
      return { message: '', data: await shownSettings(caller) };
    },
  });

function sections(settings: Settings): (keyof Settings)[] {
  return Object.keys(settings).filter((key): key is keyof Settings => key in settings);
}

/** `schema`: of all settings, those that features declare included. */
export const settingsFeature = (schema: LoadSchema) =>
  defineFeature({
    name: 'settings',
    title: 'Settings',
    actions: [read(schema), locks, update(schema)],
  });
