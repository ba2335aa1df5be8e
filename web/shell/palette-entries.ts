import type { ModulePayloads } from '@hostler/client/client.ts';
import type { IconName } from '../components/icon.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { maySee } from '../state/permission.ts';
import { ranges } from '../state/range.ts';
import { endSession } from '../state/session.ts';
import { setTheme, themes } from '../state/theme.ts';
import { percent } from '../units.ts';
import { viewGroups } from '../views/index.ts';
import { verbs } from '../views/power/power-schedule.ts';
import { attempt } from './announcements.tsx';
import { navigate } from './route.tsx';
import { themeNames } from './theme-button.tsx';

export interface PaletteEntry {
  id: string;
  title: string;
  kind: 'View' | 'Action' | 'Range' | 'Process' | 'Setting';
  icon: IconName;
  /** On the right, instead of its kind. */
  detail?: string;
  /** Additional search terms. */
  words: string;
  run(): void;
}

export type Found = PaletteEntry;

const mostFound = 40;

/** Views, actions and ranges that this session may use. */
export function fixedEntries(): PaletteEntry[] {
  return [...viewEntries(), ...orderEntries(), ...rangeEntries(), ...ownEntries()];
}

const viewEntries = (): PaletteEntry[] =>
  viewGroups.flatMap(({ title: group, views }) =>
    views.filter(maySee).map(({ path, title, icon, words = '' }) => ({
      id: `view ${path}`,
      title,
      kind: 'View',
      detail: group,
      icon,
      words: `${words} ${group}`,
      run: () => navigate(path),
    })),
  );

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
  processes.map(({ id, name, cpu_usage, username }) => ({
    id: `process ${id}`,
    title: name,
    kind: 'Process',
    icon: 'processes',
    detail: `PID ${id} · ${percent(cpu_usage, 1)}`,
    words: `${id} ${username ?? ''}`,
    run: () => navigate(`/processes?pid=${id}`),
  }));

/** Every word has to occur; names that begin with it come first. Processes appear only with a search text. */
export function ranked(entries: readonly PaletteEntry[], wanted: string): PaletteEntry[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries.filter(({ kind }) => kind === 'View' || kind === 'Action').slice(0, mostFound);
  return entries
    .flatMap((each) => {
      const title = each.title.toLowerCase();
      const text = `${title} ${each.kind.toLowerCase()} ${each.words.toLowerCase()}`;
      if (!words.every((word) => text.includes(word))) return [];
      const [first = ''] = words;
      const score = title === wanted.toLowerCase() ? 0 : title.startsWith(first) ? 1 : title.includes(first) ? 2 : 3;
      return [{ each, score: score + order.indexOf(each.kind) / 10 }];
    })
    .toSorted((a, b) => a.score - b.score)
    .slice(0, mostFound)
    .map(({ each }) => each);
}

const order: readonly PaletteEntry['kind'][] = ['View', 'Action', 'Range', 'Setting', 'Process'];
