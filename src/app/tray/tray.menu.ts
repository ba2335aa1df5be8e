import type { PausedControl } from '../../core/control-pause.ts';
import type { OpenPrompt } from '../../core/prompts/open-prompt.ts';
import type { TrayIcon, TrayItem, TrayView } from './tray.contract.ts';

export interface TrayFacts {
  version: string;
  address: string;
  paused: PausedControl | null;
  pending: PendingOrder | null;
  prompt: Pick<OpenPrompt, 'number' | 'title'> | null;
  /** Names of the connected clients, one for each connection. */
  clients: readonly string[];
  /** A sentence; null: no recent crash. */
  crashes: string | null;
}

export interface PendingOrder {
  /** A number that no other order ever has. */
  number: number;
  /** `restart` */
  verb: string;
  /** "The machine will restart" */
  will: string;
  /** Unix milliseconds. */
  at: number;
  token: string;
}

const line = null;

/** Pure: content of the icon, its tip and its menu. The first entry is the action of a click on the icon, so it never changes. */
export function trayView(facts: TrayFacts): TrayView {
  const { version, address, paused, pending, prompt, crashes } = facts;
  const goingOn = [
    note('clients', clientsLine(facts.clients)),
    ...(crashes === null ? [] : [note('crashes', crashes)]),
    ...(prompt === null ? [] : [{ id: `prompt:${prompt.number}`, label: `Show the prompt: ${plain(prompt.title)}` }]),
    ...(pending === null ? [] : pendingItems(pending)),
  ];
  return {
    tip: tipOf(facts),
    icon: iconOf(facts),
    items: [
      openItem,
      line,
      ...goingOn,
      line,
      ...(paused === null ? pauseItems : [note('paused', `Control is paused ${endOf(paused)}`), resumeItem]),
      line,
      { id: 'copy', label: 'Copy address' },
      {
        id: 'about',
        label: 'About',
        items: [note('version', `Hostler ${version}`), note('address', address)],
      },
      quitItem,
    ],
  };
}

/** Where the menu never changes: everything that may be needed. */
export function fixedTrayView(address: string): TrayView {
  return {
    tip: 'Hostler',
    icon: 'normal',
    items: [
      openItem,
      { id: 'copy', label: 'Copy address', copies: address },
      line,
      ...pauseItems,
      resumeItem,
      line,
      quitItem,
    ],
  };
}

const openItem: TrayItem = { id: 'open', label: 'Open dashboard' };
const pauseItems: readonly TrayItem[] = [
  { id: 'pause-hour', label: 'Pause control for an hour' },
  { id: 'pause', label: 'Pause control until resumed' },
];
const resumeItem: TrayItem = { id: 'resume', label: 'Resume control' };
const quitItem: TrayItem = { id: 'quit', label: 'Quit' };

const note = (id: string, label: string): TrayItem => ({ id, label, isNote: true });

function pendingItems({ number, will, verb, at, token }: PendingOrder): TrayItem[] {
  return [
    note(`pending:${number}`, `${will} at ${timeOf(at)}, ordered by ${plain(token)}`),
    { id: `cancel:${number}`, label: `Cancel the ${verb}` },
  ];
}

const mostNames = 4;

function clientsLine(clients: readonly string[]): string {
  if (clients.length === 0) return 'No client is connected';
  const names = [...new Set(clients)];
  const shown = names.slice(0, mostNames).map((name) => plain(name));
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return `${clients.length} connected: ${shown.join(', ')}${more}`;
}

/** Fixed texts only: some desktops interpret a tip as markup. */
function tipOf({ paused, pending, prompt }: TrayFacts): string {
  const sentences = [
    ...(prompt === null ? [] : ['a client asks for your permission']),
    ...(pending === null ? [] : [`${pending.will.replace(/^T/, 't')} at ${timeOf(pending.at)}`]),
    ...(paused === null ? [] : [`control is paused ${endOf(paused)}`]),
  ];
  return sentences.length === 0 ? 'Hostler' : `Hostler: ${sentences.join('; ')}`;
}

function iconOf({ paused, pending, prompt }: TrayFacts): TrayIcon {
  if (pending !== null || prompt !== null) return 'attention';
  return paused === null ? 'normal' : 'paused';
}

const endOf = ({ until }: PausedControl) => (until === null ? 'until it is resumed' : `until ${timeOf(until)}`);

/** In local time, like the clock beside it. */
const timeOf = (ms: number) => new Date(ms).toTimeString().slice(0, 5);

const longestName = 40;

/** Outside text must not control, reverse or displace the line it is in. */
function plain(text: string): string {
  const clean = text
    .slice(0, longestName * 4)
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clean.length > longestName ? `${clean.slice(0, longestName - 1).toWellFormed()}…` : clean;
}
