import type { Bus } from '@hostler/dbus/dbus.ts';
import { hasOwner } from '../../../host/linux/dbus/bus-properties.ts';
import { createMutterSession, type MutterSession } from '../../../host/linux/input/remote-desktop.mutter.ts';
import {
  checkPortal,
  openPortalSession,
  type PortalDevice,
  type PortalHost,
} from '../../../host/linux/input/remote-desktop.portal.ts';
import { messageOf, UserRefused } from '../../../lib/errors.ts';
import { isObject } from '../../../lib/values.ts';
import { buttonCodes, LackingPointer, type PointerDisplay, type PointerMover } from './pointer.mover.ts';
import type { PointerDesktop } from './pointer.session.ts';

/** The remote-control interface of desktops. Calls are performed in order. */
interface RemotePointer {
  /** Prepares absolute moves on these displays or, with none, all other moves. May show a permission prompt. */
  start(places: readonly PointerDisplay[] | null): Promise<void>;
  isOpen(): boolean;
  moveTo(display: PointerDisplay, x: number, y: number): Promise<unknown>;
  moveBy(dx: number, dy: number): Promise<unknown>;
  button(code: number, isDown: boolean): Promise<unknown>;
  scroll(axis: number, steps: number): Promise<unknown>;
  stop(): Promise<void>;
}

const vertical = 0;
const horizontal = 1;
/** How far programs scroll for one wheel step that is sent as a distance. */
const notch = 10;

/** Nothing starts before the first move. */
function moverOver(remote: RemotePointer, desktop: PointerDesktop): PointerMover {
  let sent: Promise<unknown>[] = [];
  const begin = async (places: readonly PointerDisplay[] | null, signal?: AbortSignal) => {
    if (!remote.isOpen()) throw new Error('the desktop has ended the session for remote control');
    const isFirst = !desktop.hasPointer();
    await desktop.withNew(() => remote.start(places));
    signal?.throwIfAborted();
    // GNOME sends no window an enter event for the first pointer of a desktop before it has moved.
    if (isFirst) await remote.moveBy(0, 0);
  };
  const send = (answer: Promise<unknown>) => {
    // The failure is reported by the final wait.
    answer.catch(() => {});
    sent.push(answer);
  };
  return {
    displays: desktop.displays,
    async moveTo(display, x, y, signal) {
      await begin(desktop.known(), signal);
      send(remote.moveTo(display, x, y));
    },
    async moveBy(dx, dy, signal) {
      await begin(null, signal);
      send(remote.moveBy(dx, dy));
    },
    async button(button, isDown, signal) {
      if (isDown) await begin(null, signal);
      send(remote.button(buttonCodes[button], isDown));
    },
    async scroll(dx, dy, signal) {
      await begin(null, signal);
      if (dy !== 0) send(remote.scroll(vertical, dy));
      if (dx !== 0) send(remote.scroll(horizontal, dx));
    },
    async settle() {
      const waited = sent;
      sent = [];
      await Promise.all(waited);
      if (!remote.isOpen()) throw new Error('the desktop has ended the session for remote control');
      // Whether it still exists.
      await desktop.wayland.sync();
    },
    async close() {
      await Promise.allSettled(sent);
      await remote.stop();
      desktop.close();
    },
  };
}

/** GNOME's own interface. */
export async function openMutterPointer(bus: Bus, desktop: PointerDesktop): Promise<PointerMover> {
  let session: MutterSession = await createMutterSession(bus);
  let isStarted = false;
  let streams: Map<string, string> | null = null;

  const restart = async (ids: readonly string[] | null) => {
    if (isStarted) {
      await session.stop();
      session = await createMutterSession(bus);
    }
    streams = ids === null ? null : await session.nameDisplays(ids).catch(noPlaces);
    await session.start().catch(ids === null ? undefined : noPlaces);
    isStarted = true;
  };
  const remote: RemotePointer = {
    async start(places) {
      const ids = places === null ? null : places.map(({ id }) => id);
      const isEnough = ids === null ? isStarted : streams !== null && ids.join() === [...streams.keys()].join();
      if (!isEnough) await restart(ids);
    },
    isOpen: () => session.isOpen(),
    moveTo: ({ id }, x, y) => session.notify('NotifyPointerMotionAbsolute', 'sdd', [streams?.get(id) ?? '', x, y]),
    moveBy: (dx, dy) => session.notify('NotifyPointerMotionRelative', 'dd', [dx, dy]),
    button: (code, isDown) => session.notify('NotifyPointerButton', 'ib', [code, isDown]),
    scroll: (axis, steps) => session.notify('NotifyPointerAxisDiscrete', 'ui', [axis, steps]),
    stop: () => session.stop(),
  };
  return moverOver(remote, desktop);
}

function noPlaces(cause: unknown): never {
  throw new LackingPointer(
    `GNOME takes positions on its screen cast, which needs PipeWire: start pipewire for your user, or move by dx and dy (${messageOf(cause)})`,
  );
}

const pointer: PortalDevice = {
  type: 2,
  mayWhat: 'the pointer may be moved',
  file: 'remote-desktop-pointer.token',
  withDisplays: true,
};

/** Throws if no portal moves pointers. */
export const checkPortalPointer = (bus: Bus): Promise<void> => checkPortal(bus, pointer);

/** The portal of KDE and others. */
export async function openPortalPointer(bus: Bus, host: PortalHost, desktop: PointerDesktop): Promise<PointerMover> {
  let session = await openPortalSession(bus, host, pointer);
  let isBegun = false;
  let isStarted = false;
  /** KDE's portal, also in Plasma 6, forwards wheel steps as distances, so one step hardly moves anything. */
  let perStep = 1;
  /** null: the session has no pictures because PipeWire is missing. */
  let streams: PortalStream[] | null = null;

  const restart = async (withDisplays: boolean) => {
    isStarted = false;
    if (isBegun) {
      await session.stop();
      session = await openPortalSession(bus, host, { ...pointer, withDisplays });
    }
    isBegun = true;
    const shown = await session.start();
    streams = withDisplays ? parsePortalStreams(shown) : null;
    perStep = (await hasOwner(bus, 'org.kde.KWin').catch(() => false)) ? notch : 1;
    isStarted = true;
  };
  /** One permission prompt covers the displays as well. */
  const begin = async (needsPlaces: boolean) => {
    try {
      await restart(true);
    } catch (cause) {
      if (cause instanceof UserRefused) throw cause;
      if (needsPlaces) throw noPictures(cause);
      await restart(false);
    }
  };
  const streamOf = ({ x, y }: PointerDisplay, among: readonly PointerDisplay[]) => {
    const [only] = streams ?? [];
    // Plasma 5 does not report positions.
    if (only?.place === null && streams?.length === 1 && among.length === 1) return only;
    return streams?.find(({ place }) => place?.x === x && place.y === y);
  };
  const remote: RemotePointer = {
    async start(places) {
      if (!isStarted || (places !== null && streams === null)) await begin(places !== null);
      const hidden = (places ?? []).filter((one) => streamOf(one, places ?? []) === undefined).map(({ id }) => id);
      if (places === null || hidden.length < places.length) return;
      if (streams?.some(({ place }) => place === null) === true) throw unplaced();
      throw new LackingPointer(
        `the portal was not allowed to show ${hidden.join(', ')}, and it takes positions only on displays that it shows: choose the displays when the desktop asks, or move by dx and dy`,
      );
    },
    isOpen: () => session.isOpen(),
    async moveTo(display, x, y) {
      const stream = streamOf(display, desktop.known());
      if (stream === undefined)
        throw new LackingPointer(`${display.id} was not chosen when the desktop asked; move by dx and dy`);
      const { width, height, pixelWidth, pixelHeight } = display;
      const place = [stream.node, (x * width) / pixelWidth, (y * height) / pixelHeight];
      await session.notify('NotifyPointerMotionAbsolute', 'udd', place);
    },
    moveBy: (dx, dy) => session.notify('NotifyPointerMotion', 'dd', [dx, dy]),
    button: (code, isDown) => session.notify('NotifyPointerButton', 'iu', [code, isDown ? 1 : 0]),
    scroll: (axis, steps) => session.notify('NotifyPointerAxisDiscrete', 'ui', [axis, steps * perStep]),
    stop: () => session.stop(),
  };
  return moverOver(remote, desktop);
}

const noPictures = (cause: unknown) =>
  new LackingPointer(
    `the portal takes positions only on pictures of the displays, which need PipeWire: start pipewire and wireplumber for your user, or move by dx and dy (${messageOf(cause)})`,
  );

const unplaced = () =>
  new LackingPointer(
    'the portal does not report which of its pictures shows which display, for example on Plasma 5: with several displays, move by dx and dy',
  );

export interface PortalStream {
  node: number;
  /** Of its display; null: not reported by the portal. */
  place: { x: number; y: number } | null;
}

/** Each is a number and its properties. */
export function parsePortalStreams(streams: unknown): PortalStream[] {
  return (Array.isArray(streams) ? streams : []).flatMap((entry: unknown): PortalStream[] => {
    const [node, facts] = Array.isArray(entry) ? entry : [];
    if (typeof node !== 'number' || !isObject(facts)) return [];
    const [x, y] = Array.isArray(facts.position) ? facts.position : [];
    return [{ node, place: typeof x === 'number' && typeof y === 'number' ? { x, y } : null }];
  });
}
