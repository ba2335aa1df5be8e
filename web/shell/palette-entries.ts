import type { ModulePayloads } from '@hostler/client/client.ts';
import type { IconName } from '../components/icon.tsx';
import { obstacle, stateOf } from '../state/availability.ts';
import { isEmptyModule } from '../state/empty-module.ts';
import { request } from '../state/live.ts';
import { maySee } from '../state/permission.ts';
import { ranges } from '../state/range.ts';
import { endSession } from '../state/session.ts';
import { setTheme, themes } from '../state/theme.ts';
import { percent } from '../units.ts';
import { viewGroups } from '../views/index.ts';
import { verbs } from '../views/power/power-schedule.ts';
import { attempt } from './announcements.tsx';
import type { PaletteEntry } from './palette-ranking.ts';
import { navigate } from './route.tsx';
import { themeNames } from './theme-button.tsx';

/** Views, actions and ranges that this session may use. */
export function fixedEntries(): PaletteEntry[] {
  return [...viewEntries(), ...readingEntries(), ...orderEntries(), ...rangeEntries(), ...ownEntries()];
}

const viewEntries = (): PaletteEntry[] =>
  viewGroups.flatMap(({ title: group, views }) =>
    views.filter(maySee).map(({ path, title, icon, module, words = '' }) => ({
      id: `view ${path}`,
      title,
      kind: 'View',
      detail: group,
      icon,
      words: `${words} ${group} ${descriptionOf(module)}`,
      run: () => navigate(path),
    })),
  );

/** What the overview shows of modules without a view. */
const readings: readonly [title: string, icon: IconName, module: string][] = [
  ['Processor', 'processor', 'cpu'],
  ['Memory', 'memory', 'memory'],
  ['Battery', 'battery', 'battery'],
  ['Machine', 'machine', 'system'],
];

const readingEntries = (): PaletteEntry[] =>
  readings
    .filter(([, , module]) => stateOf(module) !== undefined && !isEmptyModule(stateOf(module)))
    .map(([title, icon, module]) => ({
      id: `reading ${module}`,
      title,
      kind: 'Reading',
      detail: 'Overview',
      icon,
      words: `${module} ${descriptionOf(module)}`,
      run: () => {
        navigate('/');
        // Once the overview is drawn.
        requestAnimationFrame(() => requestAnimationFrame(() => showCard(title)));
      },
    }));

const showCard = (title: string) =>
  document.querySelector(`main section[aria-label="${title}"]`)?.scrollIntoView({ block: 'center' });

/** The service describes each module; the words of a view need not repeat it. */
const descriptionOf = (module = '') => stateOf(module)?.description ?? '';

/** Only actions that are available now. */
function orderEntries(): PaletteEntry[] {
  const media = (action: string, title: string, icon: IconName): PaletteEntry[] =>
    obstacle('MEDIA_CONTROL') === null
      ? [entry(title, icon, 'media player', () => void attempt(() => request('MEDIA_CONTROL', { action }), title))]
      : [];
  return [
    ...media('PLAY_PAUSE', 'Play or pause', 'play'),
    ...media('NEXT', 'Next title', 'next'),
    ...media('PREVIOUS', 'Previous title', 'previous'),
    ...media('MUTE', 'Mute', 'mute'),
    ...verbs
      .filter(({ verb }) => obstacle(`POWER_${verb}`) === null)
      .map(({ verb, title, icon }) =>
        entry(`${title}…`, icon, 'power', () => navigate(`/power?order=${verb.toLowerCase()}`)),
      ),
    ...(obstacle('NOTIFICATION') === null
      ? [entry('Send a notification', 'bell', 'notify message', () => navigate('/control'))]
      : []),
  ];
}

const rangeEntries = (): PaletteEntry[] =>
  ranges.map(({ id, words }) => ({
    ...entry(`Show ${id === 'live' ? 'live charts' : words}`, 'clock', `range ${id}`, () =>
      navigate(id === 'live' ? '/' : `/?range=${id}`),
    ),
    kind: 'Range',
  }));

const ownEntries = (): PaletteEntry[] => [
  ...themes.map((theme) =>
    entry(`Appearance: ${themeNames[theme].toLowerCase()}`, 'contrast', 'theme', () => setTheme(theme)),
  ),
  entry('Sign out', 'signOut', 'log off leave', endSession),
];

const entry = (title: string, icon: IconName, words: string, run: () => void): PaletteEntry => ({
  id: `action ${title}`,
  title,
  kind: 'Action',
  icon,
  words,
  run,
});

export const processEntries = (processes: ModulePayloads['processes']): PaletteEntry[] =>
  processes.map(({ id, name, cpu_usage, username, parent_id, path }) => ({
    id: `process ${id}`,
    title: name,
    kind: 'Process',
    icon: 'processes',
    detail: `PID ${id} · ${percent(cpu_usage, 1)}`,
    words: `${id} ${username ?? ''}`,
    // On Linux, kernel threads are kthreadd and its children.
    isLast: path === null && (id === 2 || parent_id === 2),
    run: () => navigate(`/processes?pid=${id}`),
  }));
