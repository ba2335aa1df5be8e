import type { OfferedSignal } from '@hostler/dbus/dbus.ts';
import type { OfferedInterface } from '@hostler/dbus/exported-objects.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { TrayEvents, TrayItem, TrayView } from '../tray.contract.ts';
import { type MenuEntry, type MenuModel, menuInterface, offerMenu } from './dbus-menu.interface.ts';

/** The menu of the icon. Its protocol has no specification, only an implementation: https://github.com/AyatanaIndicators/libdbusmenu */
export interface DbusMenu {
  offered: OfferedInterface;
  /** Replaces the items; while the menu is open, as soon as it is closed. */
  update(items: TrayView['items']): void;
  close(): void;
}

/** A press this soon after the menu has changed was aimed at the previous entry. */
export const unaimedMs = 500;
/** Not every panel reports that it closed the menu. After this time it is taken to be closed. */
export const longestOpenMs = 30_000;
const mostItems = 50;

/**
 * Each entry has a number that is never used again, so a press always means the entry that was shown. The layout does not change while
 * the menu is open: updates wait until it is closed.
 */
export function createDbusMenu(
  { chosen, opening, note }: TrayEvents,
  { clock, emit, path }: { clock: Clock; emit(signal: OfferedSignal): void; path: string },
): DbusMenu {
  const model: MenuModel = { revision: 1, entries: [] };
  const toEntries = numberEntries();
  let waiting: TrayView['items'] | null = null;
  let changedAt = Number.NEGATIVE_INFINITY;
  let endOpen: (() => void) | null = null;

  const publish = (items: TrayView['items']): boolean => {
    waiting = null;
    const next = toEntries(items, model.entries);
    if (JSON.stringify(next) === JSON.stringify(model.entries)) return false;
    model.entries = next;
    model.revision++;
    changedAt = clock.monotonic();
    emit({ path, interface: menuInterface, member: 'LayoutUpdated', signature: 'ui', body: [model.revision, 0] });
    return true;
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

  const press = ({ item, children }: MenuEntry) => {
    if (item === null || item.isNote || children.length > 0) return;
    if (clock.monotonic() - changedAt < unaimedMs)
      return note('the menu changed just before it was used, so the click was ignored');
    chosen(item.id);
    // Panels close the menu after a press.
    closed();
  };

  return {
    update(items) {
      if (endOpen === null) publish(items);
      else waiting = items;
    },
    close() {
      endOpen?.();
      endOpen = null;
    },
    offered: offerMenu(model, {
      press,
      opened,
      closed,
      /** Updates the menu before it is shown. A menu that was open before has been closed, even if the panel did not report it. */
      async aboutToShow() {
        const { items } = await opening();
        const isNew = publish(items);
        if (!isNew) changedAt = Number.NEGATIVE_INFINITY;
        opened();
        return isNew;
      },
    }),
  };
}

/** Entries with the same meaning keep their numbers. */
function numberEntries() {
  let last = 0;
  const toEntries = (items: readonly (TrayItem | null)[], known: readonly MenuEntry[]): MenuEntry[] =>
    items.slice(0, mostItems).map((item, at) => {
      const separator = known[at]?.item === null ? known[at] : undefined;
      const before = item === null ? separator : known.find((entry) => entry.item?.id === item.id);
      last += before === undefined ? 1 : 0;
      return { number: before?.number ?? last, item, children: toEntries(item?.items ?? [], before?.children ?? []) };
    });
  return toEntries;
}
