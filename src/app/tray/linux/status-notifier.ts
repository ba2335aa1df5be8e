import { BusError, type OfferedSignal, type OfferingBus } from '@hostler/dbus/dbus.ts';
import { createOffers, type OfferedInterface, type Offers } from '@hostler/dbus/exported-objects.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { ShownTray, TrayEvents, TrayView } from '../tray.contract.ts';
import { menuInterface } from './dbus-menu.interface.ts';
import { createDbusMenu } from './dbus-menu.ts';
import { trayPictures } from './tray-icon.ts';

export interface NotifierParts {
  clock: Clock;
  /** Its own connection: the panel identifies the icon by it, and the icon disappears with it. */
  openBus(offers: Offers): OfferingBus;
  /** Calls back when the session of the user may have started; returns the function that stops it. */
  watchSession(changed: () => void): () => void;
}

const itemPath = '/StatusNotifierItem';
const itemInterface = 'org.kde.StatusNotifierItem';
const menuPath = '/MenuBar';
const watcher = {
  destination: 'org.kde.StatusNotifierWatcher',
  path: '/StatusNotifierWatcher',
  interface: 'org.kde.StatusNotifierWatcher',
};
const bus = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
/** A panel makes some dozen calls for one opening of the menu. */
const flood = { most: 1000, whileMs: 10_000 };
/** After a flood of calls the icon is removed for this time. */
export const awayMs = 60_000;

/**
 * The icon as KDE, Xfce, the bars of sway and an extension of GNOME show it. It follows only which program shows icons, and polls nothing.
 * https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem
 */
export async function showStatusNotifier(
  { clock, openBus, watchSession }: NotifierParts,
  first: TrayView,
  events: TrayEvents,
): Promise<ShownTray> {
  let view = first;
  let session: OfferingBus | null = null;
  let isRegistered = false;
  let isOver = false;
  let stopWaiting = () => {};
  const emit = (signal: OfferedSignal) => session?.emit(signal);
  const menu = createDbusMenu(
    {
      ...events,
      async opening() {
        const now = await events.opening();
        show(now);
        return now;
      },
    },
    { clock, emit, path: menuPath },
  );
  menu.update(first.items);
  const objects = {
    [itemPath]: { [itemInterface]: itemOf(() => view, events) },
    [menuPath]: { [menuInterface]: menu.offered },
  };
  const offers = createOffers(objects, { ...flood, now: clock.monotonic, flooded: () => leaveForAWhile() });

  const leave = () => {
    stopWaiting();
    session?.close();
    session = null;
    isRegistered = false;
  };
  const leaveForAWhile = () => {
    events.note(
      `a program of this session sends too many requests to the icon, so the icon is removed for ${awayMs / 1000} s`,
    );
    // Not inside the call that exceeded the limit.
    stopWaiting = clock.after(0, () => {
      leave();
      stopWaiting = clock.after(awayMs, () => void come());
    });
  };

  /** Registers once with each program that shows icons. A name that would start a program is not called. */
  const register = async (here: OfferingBus) => {
    try {
      const [isThere] = await here.call({
        ...bus,
        member: 'NameHasOwner',
        signature: 's',
        body: [watcher.destination],
      });
      const name = here.name();
      if (isThere !== true || name === null || here !== session) return;
      await here.call({ ...watcher, member: 'RegisterStatusNotifierItem', signature: 's', body: [name] });
      isRegistered = here === session;
    } catch (error) {
      if (here === session) events.note(`the desktop does not accept the icon: ${messageOf(error)}`);
    }
  };

  const come = async () => {
    stopWaiting();
    if (isOver) return;
    const here = openBus(offers);
    session = here;
    try {
      const owner = { ...bus, sender: bus.destination, member: 'NameOwnerChanged', arg0: watcher.destination };
      const { destination: _, ...match } = owner;
      await here.subscribe(match, ({ body: [, , next] }) => {
        isRegistered = false;
        if (next !== '') void register(here);
      });
      here.onReconnected(() => void register(here));
      await register(here);
    } catch (error) {
      here.close();
      if (session === here) session = null;
      if (isOver || !isNoBus(error)) return isOver ? undefined : events.note(`no icon: ${messageOf(error)}`);
      const stop = watchSession(() => {
        stop();
        void come();
      });
      stopWaiting = stop;
    }
  };

  const show = (next: TrayView) => {
    const before = view;
    view = next;
    const changed = (member: string, signature = '', body: unknown[] = []) =>
      emit({ path: itemPath, interface: itemInterface, member, signature, body });
    if (next.icon !== before.icon) {
      changed('NewIcon');
      changed('NewAttentionIcon');
      changed('NewStatus', 's', [statusOf(next)]);
    }
    if (next.tip !== before.tip) changed('NewToolTip');
  };

  await come();
  return {
    get isShown() {
      return isRegistered;
    },
    update(next) {
      show(next);
      menu.update(next.items);
    },
    remove() {
      isOver = true;
      menu.close();
      leave();
    },
  };
}

const isNoBus = (error: unknown) => error instanceof BusError && error.errorName === 'Client.NoBus';

const statusOf = ({ icon }: TrayView) => (icon === 'attention' ? 'NeedsAttention' : 'Active');

/** Icon names stay empty: a theme without them shows nothing, and one with them would hide the state. */
function itemOf(view: () => TrayView, { chosen }: TrayEvents): OfferedInterface {
  const pictures = new Map<string, unknown>();
  const drawn = () => {
    const { icon } = view();
    const known = pictures.get(icon) ?? trayPictures(icon);
    pictures.set(icon, known);
    return known;
  };
  const text = (value: string) => ({ type: 's', read: () => value });
  const nothing = { gives: '', run: () => [] };
  return {
    methods: {
      // A left click.
      Activate: {
        takes: 'ii',
        gives: '',
        run() {
          const [first] = view().items;
          if (first) chosen(first.id);
          return [];
        },
      },
      SecondaryActivate: { takes: 'ii', ...nothing },
      // The panel shows the menu.
      ContextMenu: { takes: 'ii', ...nothing },
      Scroll: { takes: 'is', ...nothing },
    },
    properties: {
      Category: text('SystemServices'),
      Id: text('hostler'),
      Title: text('Hostler'),
      Status: { type: 's', read: () => statusOf(view()) },
      WindowId: { type: 'i', read: () => 0 },
      IconThemePath: text(''),
      IconName: text(''),
      IconPixmap: { type: 'a(iiay)', read: drawn },
      OverlayIconName: text(''),
      OverlayIconPixmap: { type: 'a(iiay)', read: () => [] },
      AttentionIconName: text(''),
      AttentionIconPixmap: { type: 'a(iiay)', read: drawn },
      AttentionMovieName: text(''),
      ToolTip: { type: '(sa(iiay)ss)', read: () => ['', [], 'Hostler', view().tip] },
      ItemIsMenu: { type: 'b', read: () => false },
      Menu: { type: 'o', read: () => menuPath },
    },
    signals: {
      NewTitle: '',
      NewIcon: '',
      NewAttentionIcon: '',
      NewOverlayIcon: '',
      NewToolTip: '',
      NewStatus: 's',
    },
  };
}
