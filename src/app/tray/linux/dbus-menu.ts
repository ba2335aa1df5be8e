import { BusError, type OfferedSignal, variant } from '@hostler/dbus/dbus.ts';
import type { OfferedInterface } from '@hostler/dbus/exported-objects.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { TrayEvents, TrayItem, TrayView } from '../tray.contract.ts';

/** The menu of the icon, as panels ask for it. There is no specification but its use: https://github.com/AyatanaIndicators/libdbusmenu */
export interface DbusMenu {
  offered: OfferedInterface;
  /** What it says from now on; while it is open, from when it is closed. */
  update(items: TrayView['items']): void;
  close(): void;
}

export const menuInterface = 'com.canonical.dbusmenu';

/** A press so soon after the menu has changed was aimed at what stood there before. */
export const unaimedMs = 500;
/** Not every panel says that it has closed the menu; after this time nobody still looks at it. */
export const longestOpenMs = 30_000;
const layoutType = '(ia{sv}av)';
const mostItems = 50;
const longestLabel = 120;

interface Entry {
  number: number;
  item: TrayItem | null;
  children: Entry[];
}

/**
 * Each entry has a number, which stands for its meaning: an entry that goes takes its number with it, and no other one ever gets it. So a
 * press never means anything but what was written there. What is on the screen does not move: changes wait until the menu is closed.
 */
export function createDbusMenu(
  { chosen, opening, note }: TrayEvents,
  { clock, emit, path }: { clock: Clock; emit(signal: OfferedSignal): void; path: string },
): DbusMenu {
  let last = 0;
  let revision = 1;
  let entries: Entry[] = [];
  let waiting: TrayView['items'] | null = null;
  let changedAt = Number.NEGATIVE_INFINITY;
  let endOpen: (() => void) | null = null;

  const root = (): Entry => ({ number: 0, item: null, children: entries });
  const all = (): Entry[] => flatten(entries);
  const find = (number: unknown) => (number === 0 ? root() : all().find((entry) => entry.number === number));
  const tell = (member: string, signature: string, body: unknown[]) =>
    emit({ path, interface: menuInterface, member, signature, body });

  /** Entries with the same meaning keep their numbers. */
  const toEntries = (items: readonly (TrayItem | null)[], known: readonly Entry[]): Entry[] =>
    items.slice(0, mostItems).map((item, at) => {
      const before =
        item === null
          ? known[at]?.item === null
            ? known[at]
            : undefined
          : known.find((entry) => entry.item?.id === item.id);
      last += before === undefined ? 1 : 0;
      return { number: before?.number ?? last, item, children: toEntries(item?.items ?? [], before?.children ?? []) };
    });

  /** Whether anything is different now. */
  const replace = (items: TrayView['items']): boolean => {
    waiting = null;
    const next = toEntries(items, entries);
    if (JSON.stringify(next) === JSON.stringify(entries)) return false;
    entries = next;
    revision++;
    changedAt = clock.monotonic();
    return true;
  };
  const publish = (items: TrayView['items']) => {
    if (replace(items)) tell('LayoutUpdated', 'ui', [revision, 0]);
  };

  const closed = () => {
    endOpen?.();
    endOpen = null;
    if (waiting !== null) publish(waiting);
  };
  const opened = () => {
    endOpen?.();
    endOpen = clock.after(longestOpenMs, closed);
  };

  /** Opened before it is shown, so that it says what is so now. If it was open before, it is not any more, though nobody has said so. */
  const aboutToShow = async (number: unknown): Promise<boolean> => {
    if (number !== 0) return false;
    const { items } = await opening();
    const isNew = replace(items);
    // Some panels ask for it again only if they are told, and show what they had until then.
    if (isNew) tell('LayoutUpdated', 'ui', [revision, 0]);
    else changedAt = Number.NEGATIVE_INFINITY;
    opened();
    return isNew;
  };

  const press = (number: unknown) => {
    const entry = find(number);
    if (entry === undefined || entry.item === null || entry.item.isNote || entry.children.length > 0) return;
    if (clock.monotonic() - changedAt < unaimedMs)
      return note('the menu had changed a moment before it was used, so that was not counted');
    chosen(entry.item.id);
    // That closes it.
    closed();
  };
  const event = (number: unknown, kind: unknown): boolean => {
    if (find(number) === undefined) return false;
    if (kind === 'clicked') press(number);
    else if (number === 0 && kind === 'opened') opened();
    else if (number === 0 && kind === 'closed') closed();
    return true;
  };

  const layoutOf = (entry: Entry, depth: number, wanted: readonly string[]): unknown[] => [
    entry.number,
    pick(propertiesOf(entry), wanted),
    depth === 0 ? [] : entry.children.map((child) => variant(layoutType, layoutOf(child, depth - 1, wanted))),
  ];

  return {
    update(items) {
      if (endOpen === null) publish(items);
      else waiting = items;
    },
    close() {
      endOpen?.();
      endOpen = null;
    },
    offered: {
      methods: {
        GetLayout: {
          takes: 'iias',
          gives: `u${layoutType}`,
          run([parent, depth, wanted]) {
            const entry = find(parent) ?? unknown();
            return [revision, layoutOf(entry, Number(depth) < 0 ? deepest : Number(depth), texts(wanted))];
          },
        },
        GetGroupProperties: {
          takes: 'aias',
          gives: 'a(ia{sv})',
          run([numbers, wanted]) {
            const asked = new Set(list(numbers));
            // None: all of them.
            const meant = [root(), ...all()].filter(({ number }) => asked.size === 0 || asked.has(number));
            return [meant.map((entry) => [entry.number, pick(propertiesOf(entry), texts(wanted))])];
          },
        },
        GetProperty: {
          takes: 'is',
          gives: 'v',
          run([number, name]) {
            const properties = propertiesOf(find(number) ?? unknown());
            return [Object.hasOwn(properties, String(name)) ? properties[String(name)] : unknown()];
          },
        },
        Event: {
          takes: 'isvu',
          gives: '',
          run([number, kind]) {
            event(number, kind);
            return [];
          },
        },
        EventGroup: {
          takes: 'a(isvu)',
          gives: 'ai',
          run: ([events]) => [
            list(events)
              .slice(0, mostItems)
              .flatMap((one) => {
                const [number, kind] = list(one);
                return event(number, kind) || typeof number !== 'number' ? [] : [number];
              }),
          ],
        },
        AboutToShow: { takes: 'i', gives: 'b', run: async ([number]) => [await aboutToShow(number)] },
        AboutToShowGroup: {
          takes: 'ai',
          gives: 'aiai',
          async run([numbers]) {
            const asked = new Set(list(numbers).slice(0, mostItems));
            const unknowns = [...asked].filter((number) => find(number) === undefined);
            return [asked.has(0) && (await aboutToShow(0)) ? [0] : [], unknowns];
          },
        },
      },
      properties: {
        Version: { type: 'u', read: () => 3 },
        TextDirection: { type: 's', read: () => 'ltr' },
        Status: { type: 's', read: () => 'normal' },
        IconThemePath: { type: 'as', read: () => [] },
      },
      signals: {
        ItemsPropertiesUpdated: 'a(ia{sv})a(ias)',
        LayoutUpdated: 'ui',
        ItemActivationRequested: 'iu',
      },
    },
  };
}

/** Deeper than any of ours. */
const deepest = 10;

function unknown(): never {
  throw new BusError('org.freedesktop.DBus.Error.InvalidArgs', 'The menu has no such entry any more.');
}

const flatten = (entries: readonly Entry[]): Entry[] => entries.flatMap((entry) => [entry, ...flatten(entry.children)]);

/** What is as usual is left out. */
function propertiesOf({ item, number, children }: Entry): Record<string, unknown> {
  const submenu = children.length > 0 ? { 'children-display': 'submenu' } : {};
  if (number === 0) return { 'children-display': 'submenu' };
  if (item === null) return { type: 'separator' };
  return { label: labelOf(item.label), ...(item.isNote ? { enabled: false } : {}), ...submenu };
}

/** An underscore would mark the key that chooses it. */
function labelOf(text: string): string {
  const short = text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
  return short.replaceAll('_', '__');
}

/** None are wanted: all are. */
function pick(properties: Record<string, unknown>, wanted: readonly string[]): Record<string, unknown> {
  if (wanted.length === 0) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.includes(name)));
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] => list(value).map(String);
