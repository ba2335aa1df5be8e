import { allScopes, type Scope } from './scopes.ts';

export interface AccessLevel {
  title: string;
  text: string;
  scopes: readonly Scope[];
}

const withoutAdmin = allScopes.filter((scope) => scope !== 'admin');

/** The usual combinations of permissions; each contains the one before. */
export const accessLevels: readonly AccessLevel[] = [
  { title: 'View', text: 'See how the machine is doing', scopes: ['read'] },
  {
    title: 'Control',
    text: 'Also media, volume, notifications, voice chat, displays, locking and power',
    scopes: ['read', 'media', 'notify', 'chat', 'control', 'power'],
  },
  {
    title: 'Everything except administration',
    text: 'Also files, typing, the pointer, the screen, the clipboard, processes, services, containers and commands',
    scopes: withoutAdmin,
  },
  { title: 'Everything', text: 'Also settings, tokens and stopping the service', scopes: allScopes },
];

export const levelsWithin = (among: readonly string[]): AccessLevel[] =>
  accessLevels.filter(({ scopes }) => scopes.every((scope) => among.includes(scope)));

/** The level that grants exactly these scopes. */
export const levelOf = (chosen: readonly string[]): AccessLevel | undefined =>
  accessLevels.find(({ scopes }) => scopes.length === chosen.length && scopes.every((scope) => chosen.includes(scope)));
