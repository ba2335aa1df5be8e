import '../../state/no-eval.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { z } from 'zod';
import { SchemaField } from '../../components/form/schema-form.tsx';
import type { FormSchema } from '../../components/form/schema-text.ts';
import { attempt } from '../../shell/announcements.tsx';
import { parameter } from '../../shell/route.tsx';
import { moduleStates, obstacle } from '../../state/availability.ts';
import { request } from '../../state/live.ts';
import { settingsSchema } from '../../state/settings.generated.ts';
import { changeDraft, hasDraft, settingsDraft } from '../../state/settings-draft.ts';
import { found, groupOf, type SettingsGroup, sectionsOf, settingsGroups } from './settings-groups.ts';
import { SettingsIndex } from './settings-index.tsx';
import { lockFor, type SettingsLocks } from './settings-locks.ts';

const schema = z.toJSONSchema(settingsSchema) as FormSchema;

/** Forms generated from the schema of the settings, which also validates the input. One page for each group, in the address. */
export function Settings() {
  const { saved, failure, locks } = useSettings();
  const wanted = useSignal('');
  const sought = parameter('setting');
  // A result of the search in the top bar is shown on its page.
  useEffect(() => {
    if (sought !== null) wanted.value = '';
  }, [sought]);
  const draft = settingsDraft.value;
  const problems = useMemo(() => problemsOf({ ...saved.value, ...draft }), [saved.value, draft]);
  if (failure.value !== '') return <p class="problem">{failure.value}</p>;
  if (saved.value === null) return <p class="quiet">Loading…</p>;
  const before = saved.value;
  const current = { ...before, ...draft };

  const save = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      const { data } = await request('UPDATE_SETTINGS', draft);
      saved.value = data as Record<string, unknown>;
      settingsDraft.value = {};
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
      problems={problems}
      locked={lockFor(before, locks.value)}
      defaults={{ modules: intervals }}
      onChange={(value) => changeDraft(before, key, value)}
    />
  );
  const group = shownGroup();
  const isSearch = wanted.value.trim() !== '';
  const sections = isSearch ? found(schema, wanted.value) : sectionsOf(group, schema);
  const single = sections.filter(([, { type }]) => type !== 'object');
  return (
    <div class="settings">
      <SettingsIndex current={isSearch ? null : group} problems={problems} wanted={wanted} />
      <form class="form" onSubmit={save} noValidate>
        {reason === null ? null : <p class="notice">{reason}</p>}
        {sections.length === 0 ? <p class="quiet">No setting matches “{wanted.value}”.</p> : null}
        {single.length === 0 ? null : (
          <fieldset class="card">
            <legend>General</legend>
            {single.map(fieldOf)}
          </fieldset>
        )}
        {sections.filter(([, { type }]) => type === 'object').map(fieldOf)}
        <SaveBar problems={problems} reason={reason} />
      </form>
    </div>
  );
}

/** The saved settings and what of them is locked, from the service. */
function useSettings() {
  const saved = useSignal<Record<string, unknown> | null>(null);
  const failure = useSignal('');
  const locks = useSignal<SettingsLocks>({ file: null, keys: [] });
  useEffect(() => {
    request('GET_SETTINGS').then(
      ({ data }) => {
        saved.value = data as Record<string, unknown>;
      },
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
  return { saved, failure, locks };
}

function problemsOf(settings: unknown): Map<string, string> {
  const { error } = settingsSchema.safeParse(settings);
  return new Map(error?.issues.map(({ path, message }) => [path.join('.'), message]));
}

/** By the address: a setting that the search found, or a group. */
function shownGroup(): SettingsGroup {
  const [first] = settingsGroups;
  const sought = parameter('setting');
  const named = settingsGroups.find(({ id }) => id === parameter('group'));
  const group = sought === null ? (named ?? first) : groupOf(sought);
  if (group === undefined) throw new Error('There are no settings');
  return group;
}

function SaveBar({ problems, reason }: { problems: ReadonlyMap<string, string>; reason: string | null }) {
  const count = problems.size;
  const isChanged = hasDraft();
  const invalid = `${count === 1 ? 'One entry is' : `${count} entries are`} not valid; see the marks above.`;
  return (
    <div class="save buttons">
      <button type="submit" disabled={reason !== null || count > 0 || !isChanged}>
        Save
      </button>
      <button
        type="button"
        class="plain"
        disabled={!isChanged}
        onClick={() => {
          settingsDraft.value = {};
        }}
      >
        Discard changes
      </button>
      <span class={count > 0 ? 'problem' : 'quiet'} role="status">
        {count > 0
          ? invalid
          : isChanged
            ? 'Not saved yet. Changes are kept in this tab until you save or discard them.'
            : ''}
      </span>
    </div>
  );
}
