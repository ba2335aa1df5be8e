import { ownCommand } from '../state/own-command.ts';
import '../state/no-eval.ts';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { z } from 'zod';
import { type FormSchema, isRecord, SchemaField } from '../components/form/schema-form.tsx';
import { attempt } from '../shell/announcements.tsx';
import { moduleStates, obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { protection, settingsSchema } from '../state/settings.generated.ts';

const schema = z.toJSONSchema(settingsSchema) as FormSchema;
const { localOnly, ownerOnly, remotelyChangeable } = protection;
const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** A form generated from the schema of the settings, which also validates the input. */
export function Settings() {
  const saved = useSignal<Record<string, unknown> | null>(null);
  const settings = useSignal<Record<string, unknown> | null>(null);
  const problems = useSignal(new Map<string, string>());
  const failure = useSignal('');
  const locks = useSignal<SettingsLocks>({ file: null, keys: [] });
  const accept = (data: unknown) => {
    saved.value = data as Record<string, unknown>;
    settings.value = saved.value;
    problems.value = new Map();
  };
  useEffect(() => {
    request('GET_SETTINGS').then(
      ({ data }) => accept(data),
      (thrown) => {
        failure.value = thrown.message;
      },
    );
    // A service from before 6.1 knows no locks.
    request('GET_SETTINGS_LOCKS').then(
      ({ data }) => {
        locks.value = data as SettingsLocks;
      },
      () => {},
    );
  }, []);
  const current = settings.value;
  if (failure.value !== '') return <p class="problem">{failure.value}</p>;
  if (current === null) return <p class="quiet">Loading…</p>;

  const change = (key: string, value: unknown) => {
    settings.value = { ...settings.value, [key]: value };
    const { error } = settingsSchema.safeParse(settings.value);
    problems.value = new Map(error?.issues.map(({ path, message }) => [path.join('.'), message]));
  };
  const save = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      const { data } = await request('UPDATE_SETTINGS', current);
      accept(data);
      return undefined;
    }, 'The settings were saved.');
  };
  const reason = obstacle('UPDATE_SETTINGS');
  const intervals = Object.fromEntries(
    moduleStates.value.map(({ name, interval_ms }) => [name, { interval: interval_ms }]),
  );
  const fieldOf = ([key, field]: [string, FormSchema]) => (
    <SchemaField
      key={key}
      path={key}
      schema={field}
      value={current[key]}
      problems={problems.value}
      locked={lockFor(current, locks.value)}
      defaults={{ modules: intervals }}
      onChange={(value) => change(key, value)}
    />
  );
  const fields = Object.entries(schema.properties ?? {});
  const changed = current !== saved.value;
  const count = problems.value.size;
  return (
    <form class="form settings" onSubmit={save} noValidate>
      {reason === null ? null : <p class="notice">{reason}</p>}
      <fieldset class="card">
        <legend>General</legend>
        {fields.filter(([, { type }]) => type !== 'object').map(fieldOf)}
      </fieldset>
      {fields.filter(([, { type }]) => type === 'object').map(fieldOf)}
      <div class="save buttons">
        <button type="submit" disabled={reason !== null || count > 0 || !changed}>
          Save
        </button>
        <button type="button" class="plain" disabled={!changed} onClick={() => accept(saved.value)}>
          Discard changes
        </button>
        <span class="problem" role="status">
          {count > 0 ? `${count === 1 ? 'One entry is' : `${count} entries are`} not valid; see the marks above.` : ''}
        </span>
      </div>
    </form>
  );
}

/** Settings locked by the administrator of the machine. */
interface SettingsLocks {
  file: string | null;
  keys: string[];
}

/** Why a setting cannot be changed from this page; null: it can. */
const lockFor = ({ security }: Record<string, unknown>, { file, keys }: SettingsLocks) => {
  const everywhere = isHere || (isRecord(security) && security.remoteAdmin === true);
  return (path: string): string | null => {
    if (keys.includes(path)) return `Locked by the administrator of this machine, in ${file}.`;
    if (ownerOnly.includes(path))
      return `Can be changed only in the settings file, or with “${ownCommand('settings set')}” on the machine itself.`;
    if (!isHere && localOnly.includes(path)) return 'Can be changed only on the machine itself.';
    const [first = ''] = path.split('.');
    if (everywhere || path.includes('.') || remotelyChangeable.includes(first)) return null;
    return 'Can be changed only on the machine itself, unless security.remoteAdmin is set there.';
  };
};
