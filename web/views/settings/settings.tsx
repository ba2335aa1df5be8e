import { set } from '../../state/set.ts';
import '../../state/no-eval.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { z } from 'zod';
import { isRecord, SchemaField } from '../../components/form/schema-form.tsx';
import type { FormSchema } from '../../components/form/schema-text.ts';
import { attempt } from '../../shell/announcements.tsx';
import { parameter } from '../../shell/route.tsx';
import { moduleStates, obstacle } from '../../state/availability.ts';
import { answerTo, useLoaded } from '../../state/loaded.ts';
import { ownCommand } from '../../state/own-command.ts';
import { protection, settingsSchema } from '../../state/settings.generated.ts';
import { changeDraft, hasDraft, settingsDraft } from '../../state/settings-draft.ts';
import { found, groupOf, type SettingsGroup, sectionsOf, settingsGroups } from './settings-groups.ts';
import { SettingsIndex } from './settings-index.tsx';

const schema = z.toJSONSchema(settingsSchema) as FormSchema;

/** Forms generated from the schema of the settings, which also validates the input. One page for each group, in the address. */
export function Settings() {
  const { data: saved, problem, put } = useLoaded(() => answerTo<Record<string, unknown>>('GET_SETTINGS'));
  // A service from before 6.1 knows no locks.
  const { data: locks } = useLoaded(() => answerTo<SettingsLocks>('GET_SETTINGS_LOCKS'));
  const wanted = useSignal('');
  const sought = parameter('setting');
  // A result of the search in the top bar is shown on its page.
  useEffect(() => {
    if (sought !== null) wanted.value = '';
  }, [sought]);
  const draft = settingsDraft.value;
  const problems = useMemo(() => problemsOf({ ...saved, ...draft }), [saved, draft]);
  if (problem !== '') return <p class="problem">{problem}</p>;
  if (saved === null) return <p class="quiet">Loading…</p>;
  const current = { ...saved, ...draft };

  const save = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      put(await answerTo('UPDATE_SETTINGS', draft));
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
      locked={lockFor(saved, locks ?? { file: null, keys: [] })}
      defaults={{ modules: intervals }}
      onChange={(value) => changeDraft(saved, key, value)}
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
      <button type="button" class="plain" disabled={!isChanged} onClick={() => set(settingsDraft, {})}>
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

const { localOnly, ownerOnly, remotelyChangeable } = protection;
const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname);

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
