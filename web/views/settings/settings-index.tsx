import type { Signal } from '@preact/signals';
import { Link, parameter, setParameters } from '../../shell/route.tsx';
import { set } from '../../state/set.ts';
import { settingsDraft } from '../../state/settings-draft.ts';
import { groupOf, type SettingsGroup, settingsGroups } from './settings-groups.ts';

interface IndexProps {
  /** null: a search is shown. */
  current: SettingsGroup | null;
  problems: ReadonlyMap<string, string>;
  wanted: Signal<string>;
}

/** The pages of the settings, marked where something is changed or not valid, and the search. */
export function SettingsIndex({ current, problems, wanted }: IndexProps) {
  const problemsIn = (group: SettingsGroup) => [...problems.keys()].filter((path) => groupOf(path) === group).length;
  const changedIn = (group: SettingsGroup) => Object.keys(settingsDraft.value).some((key) => groupOf(key) === group);
  return (
    <nav class="settings-index" aria-label="Groups of settings">
      <input
        type="search"
        aria-label="Search settings"
        placeholder="Search settings"
        value={wanted.value}
        onInput={({ currentTarget }) => {
          const sought = parameter('setting');
          if (sought !== null) setParameters({ setting: null, group: groupOf(sought)?.id ?? null }, { replace: true });
          wanted.value = currentTarget.value;
        }}
      />
      <ul>
        {settingsGroups.map((group) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: a click on the link inside; its keys click as well
          <li key={group.id} onClick={() => set(wanted, '')}>
            <Link to={`/settings?group=${group.id}`} current={group === current}>
              <span class="name">{group.title}</span>
              {problemsIn(group) > 0 ? (
                <span class="badge">Not valid</span>
              ) : changedIn(group) ? (
                <span class="badge">Changed</span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
