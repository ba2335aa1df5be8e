import { BusError, variant } from '@hostler/dbus/dbus.ts';
import type { OfferedInterface } from '@hostler/dbus/exported-objects.ts';
import type { TrayItem } from '../tray.contract.ts';

export const menuInterface = 'com.canonical.dbusmenu';

export interface MenuEntry {
  number: number;
  /** null: a separator, or the root. */
  item: TrayItem | null;
  children: MenuEntry[];
}

export interface MenuModel {
  revision: number;
  entries: MenuEntry[];
}

export interface MenuEvents {
  press(entry: MenuEntry): void;
  opened(): void;
  closed(): void;
  /** Resolves with whether the menu has changed. */
  aboutToShow(): Promise<boolean>;
}

const layoutType = '(ia{sv}av)';
/** More than any panel sends in one call. */
const mostInGroup = 50;
const longestLabel = 120;
/** Deeper than the menu is. */
const deepest = 10;

export function offerMenu(model: MenuModel, events: MenuEvents): OfferedInterface {
  const all = () => flatten([{ number: 0, item: null, children: model.entries }]);
  const find = (number: unknown) => all().find((entry) => entry.number === number);

  const event = (number: unknown, kind: unknown): boolean => {
    const entry = find(number);
    if (entry === undefined) return false;
    if (kind === 'clicked') events.press(entry);
    else if (number === 0 && kind === 'opened') events.opened();
    else if (number === 0 && kind === 'closed') events.closed();
    return true;
  };
  return {
    methods: {
      GetLayout: {
        takes: 'iias',
        gives: `u${layoutType}`,
        run([parent, depth, wanted]) {
          const entry = find(parent) ?? unknown();
          return [model.revision, layoutOf(entry, Number(depth) < 0 ? deepest : Number(depth), texts(wanted))];
        },
      },
      GetGroupProperties: {
        takes: 'aias',
        gives: 'a(ia{sv})',
        run([numbers, wanted]) {
          const asked = new Set(list(numbers));
          // An empty list means all entries.
          const meant = all().filter(({ number }) => asked.size === 0 || asked.has(number));
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
        run: ([group]) => [
          list(group)
            .slice(0, mostInGroup)
            .flatMap((one) => {
              const [number, kind] = list(one);
              return event(number, kind) || typeof number !== 'number' ? [] : [number];
            }),
        ],
      },
      AboutToShow: {
        takes: 'i',
        gives: 'b',
        run: async ([number]) => [number === 0 && (await events.aboutToShow())],
      },
      AboutToShowGroup: {
        takes: 'ai',
        gives: 'aiai',
        async run([numbers]) {
          const asked = new Set(list(numbers).slice(0, mostInGroup));
          const unknowns = [...asked].filter((number) => find(number) === undefined);
          return [asked.has(0) && (await events.aboutToShow()) ? [0] : [], unknowns];
        },
      },
    },
    properties,
    signals,
  };
}

const properties = {
  Version: { type: 'u', read: () => 3 },
  TextDirection: { type: 's', read: () => 'ltr' },
  Status: { type: 's', read: () => 'normal' },
  IconThemePath: { type: 'as', read: () => [] },
};

const signals = {
  ItemsPropertiesUpdated: 'a(ia{sv})a(ias)',
  LayoutUpdated: 'ui',
  ItemActivationRequested: 'iu',
};

function unknown(): never {
  throw new BusError('org.freedesktop.DBus.Error.InvalidArgs', 'The menu no longer has this entry.');
}

const flatten = (entries: readonly MenuEntry[]): MenuEntry[] =>
  entries.flatMap((entry) => [entry, ...flatten(entry.children)]);

function layoutOf(entry: MenuEntry, depth: number, wanted: readonly string[]): unknown[] {
  const children = depth === 0 ? [] : entry.children;
  return [
    entry.number,
    pick(propertiesOf(entry), wanted),
    children.map((child) => variant(layoutType, layoutOf(child, depth - 1, wanted))),
  ];
}

/** Without those that have their default value. */
function propertiesOf({ item, number, children }: MenuEntry): Record<string, unknown> {
  const submenu = children.length > 0 ? { 'children-display': 'submenu' } : {};
  if (number === 0) return { 'children-display': 'submenu' };
  if (item === null) return { type: 'separator' };
  return { label: labelOf(item.label), ...(item.isNote ? { enabled: false } : {}), ...submenu };
}

/** A single underscore would mark an access key. */
function labelOf(text: string): string {
  const short = text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text;
  return short.replaceAll('_', '__');
}

/** An empty list means all properties. */
function pick(properties: Record<string, unknown>, wanted: readonly string[]): Record<string, unknown> {
  if (wanted.length === 0) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.includes(name)));
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const texts = (value: unknown): string[] => list(value).map(String);
