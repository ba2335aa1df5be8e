import { type ActionDefinition, defineAction } from '../../core/action.ts';
import { type Caller, shownAddress } from '../../core/caller.ts';
import { isEqual } from '../../lib/values.ts';
import type { SettingsLocks } from '../../settings/locks.ts';
import type { Settings } from '../../settings/settings.schema.ts';

const schemas = () => import('./settings.schema.ts');

const read = defineAction<object, Settings>({
  name: 'settings.get',
  description: 'Returns all settings',
  input: async () => (await schemas()).getInputSchema,
  output: async () => (await schemas()).settingsSchema,
  scopes: ['command', 'admin'],
  effect: 'read',
  example: {},
  wire: { event: 'GET_SETTINGS', reply: 'SETTINGS_RESULT' },
  unavailable: async () => null,
  run: async (_input, { settings, caller }) => ({ message: '', data: settingsFor(caller, settings()) }),
});

const locks = defineAction<object, { file: string | null; keys: string[] }>({
  name: 'settings.locks',
  description: 'Returns the settings that the administrator of the machine has locked, and the file that says so',
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

const update = defineAction<Record<string, unknown>, Settings>({
  name: 'settings.update',
  description:
    'Changes settings; those not sent keep their values, and those the administrator has locked cannot be changed',
  input: async () => (await schemas()).patchSchema,
  output: async () => (await schemas()).settingsSchema,
  scopes: ['admin'],
  effect: 'write',
  example: { logLevel: 'DEBUG' },
  wire: { event: 'UPDATE_SETTINGS', reply: 'SETTINGS_UPDATED' },
  unavailable: async () => null,
  async run(patch, { settings, changeSettings, caller, log }) {
    const before = settings();
    const after = await changeSettings(patch, caller);
    const changed = sections(after).filter((key) => !isEqual(before[key], after[key]));
    if (changed.length > 0) {
      log.info(
        `settings: ${caller.tokenName} at ${shownAddress(caller.connection().address)} changed ${changed.join(', ')}`,
      );
    }
    return { message: '', data: after };
  },
});

export const settingsActions: readonly ActionDefinition[] = [read, locks, update];

/** The address of a webhook may be all it takes to write to it: only those who could change it see more than whose it is. */
function settingsFor({ scopes }: Pick<Caller, 'scopes'>, settings: Settings): Settings {
  if (scopes.has('admin')) return settings;
  const webhooks = settings.alerts.webhooks.map((webhook) => ({ ...webhook, url: new URL(webhook.url).origin }));
  return { ...settings, alerts: { ...settings.alerts, webhooks } };
}

function sections(settings: Settings): (keyof Settings)[] {
  return Object.keys(settings).filter((key): key is keyof Settings => key in settings);
}
