import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { z } from 'zod';
import { ownerOnly, remotelyChangeable } from '../../src/settings/protected.schema.ts';
import { settingsSchema } from '../../src/settings/settings.schema.ts';
import { attempt } from '../parts/announce.tsx';
import { type FormSchema, SchemaField } from '../parts/schema-form.tsx';
import { obstacle } from '../state/actions.ts';
import { request } from '../state/live.ts';

const schema = z.toJSONSchema(settingsSchema) as FormSchema;
const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

/** A form made from the schema of the settings, which also checks what is entered. */
export function Settings() {
  const settings = useSignal<Record<string, unknown> | null>(null);
  const problems = useSignal(new Map<string, string>());
  const failure = useSignal('');
  useEffect(() => {
    request('GET_SETTINGS').then(
      ({ data }) => {
        settings.value = data as Record<string, unknown>;
      },
      (thrown) => {
        failure.value = thrown.message;
      },
    );
  }, []);
  const current = settings.value;
  if (failure.value !== '') return <p class="problem">{failure.value}</p>;
  if (current === null) return <p class="quiet">Loading…</p>;

  const change = (key: string, value: unknown) => {
    settings.value = { ...current, [key]: value };
    check(settings.value);
  };
  const check = (value: unknown): boolean => {
    const result = settingsSchema.safeParse(value);
    problems.value = new Map(result.error?.issues.map(({ path, message }) => [path.join('.'), message]));
    return result.success;
  };
  const save = async (event: Event) => {
    event.preventDefault();
    if (!check(current)) return;
    await attempt(async () => {
      const { data } = await request('UPDATE_SETTINGS', current);
      settings.value = data as Record<string, unknown>;
      return undefined;
    }, 'The settings were saved.');
  };
  const reason = obstacle('UPDATE_SETTINGS');
  return (
    <form class="form settings" onSubmit={save}>
      {reason === null ? null : <p class="notice">{reason}</p>}
      {Object.entries(schema.properties ?? {}).map(([key, field]) => (
        <SchemaField
          key={key}
          path={key}
          schema={field}
          value={current[key]}
          problems={problems.value}
          locked={lockOf}
          onChange={(value) => change(key, value)}
        />
      ))}
      <p>
        <button type="submit" disabled={reason !== null || problems.value.size > 0}>
          Save
        </button>{' '}
        <span class="problem" role="status">
          {problems.value.size > 0 ? 'Something is not right yet; it is marked above.' : ''}
        </span>
      </p>
    </form>
  );
}

/** Why a setting cannot be changed from this page; null: it can. */
function lockOf(path: string): string | null {
  if (ownerOnly.some((parts) => parts.join('.') === path))
    return 'Changed only in the settings file, or with “hostler settings set” on the machine itself.';
  const [first = ''] = path.split('.');
  if (isHere || path.includes('.') || remotelyChangeable.includes(first)) return null;
  return 'Changed only on the machine itself, unless security.remoteAdmin is set there.';
}
