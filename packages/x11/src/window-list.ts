import { type X11, X11Error } from './connection.ts';
import {
  eventKind,
  eventMask,
  events,
  internAtoms,
  propertyChange,
  requests,
  structureNotify,
  x11Words,
} from './protocol.ts';

/** The active window, as reported by window managers. https://specifications.freedesktop.org/wm-spec/latest/ */
export interface X11Windows {
  /** null: no window has the focus. undefined: no window manager reports it. */
  active(): Promise<X11Window | null | undefined>;
  /** undefined: no window manager reports it. */
  desktop(): Promise<X11Desktop | undefined>;
  /** Whether an event reports a possible change of one of these. */
  concerns(event: Buffer): 'window' | 'desktop' | null;
  /** Selects such events. */
  follow(): void;
}

export interface X11Window {
  /** As set by the program, truncated. */
  title: string;
  /** The class of the window. */
  app: string;
  /** As set by the program; null: not set. */
  pid: number | null;
  fullscreen: boolean;
}

export interface X11Desktop {
  /** From 0. */
  index: number;
  count: number;
  name: string;
}

/** In units of the protocol: limits the cost of long titles. */
const titleWords = 256;
const mostDesktops = 64;

const names = [
  '_NET_ACTIVE_WINDOW',
  '_NET_WM_NAME',
  'WM_NAME',
  'WM_CLASS',
  '_NET_WM_PID',
  '_NET_WM_STATE',
  '_NET_WM_STATE_FULLSCREEN',
  '_NET_CURRENT_DESKTOP',
  '_NET_NUMBER_OF_DESKTOPS',
  '_NET_DESKTOP_NAMES',
] as const;

type AtomName = (typeof names)[number];

export async function openWindows(x11: X11): Promise<X11Windows> {
  const atoms = await internAtoms(x11, names);
  const atom = (name: AtomName) => atoms.get(name) ?? 0;
  const ofWindows = new Set(
    (['_NET_WM_NAME', 'WM_NAME', 'WM_CLASS', '_NET_WM_PID', '_NET_WM_STATE'] as const).map(atom),
  );
  const ofDesktops = new Set(
    (['_NET_CURRENT_DESKTOP', '_NET_NUMBER_OF_DESKTOPS', '_NET_DESKTOP_NAMES'] as const).map(atom),
  );
  let following = false;
  /** The window with selected events. */
  let watched = 0;

  const property = async (window: number, name: AtomName, words: number): Promise<Buffer> => {
    const reply = await x11.ask(requests.getProperty, 0, x11Words(window, atom(name), 0, 0, words));
    return reply.subarray(32, 32 + (reply.readUInt32LE(16) * (reply[1] ?? 0)) / 8);
  };
  const number = async (window: number, name: AtomName): Promise<number | null> => {
    const bytes = await property(window, name, 1);
    return bytes.length < 4 ? null : bytes.readUInt32LE(0);
  };
  const watch = (window: number) => {
    if (!following || window === watched) return;
    if (watched !== 0) x11.send(requests.changeWindowAttributes, 0, x11Words(watched, eventMask, 0));
    x11.send(requests.changeWindowAttributes, 0, x11Words(window, eventMask, propertyChange | structureNotify));
    watched = window;
  };

  const describe = async (window: number): Promise<X11Window> => {
    const [title, older, classes, pid, states] = await Promise.all([
      property(window, '_NET_WM_NAME', titleWords),
      property(window, 'WM_NAME', titleWords),
      property(window, 'WM_CLASS', titleWords),
      number(window, '_NET_WM_PID'),
      property(window, '_NET_WM_STATE', titleWords),
    ]);
    const [instance = '', app = instance] = classes.toString('latin1').split('\0');
    return {
      title: decode(title.length > 0 ? title : older),
      app,
      pid: pid !== null && pid > 0 && pid < 2 ** 31 ? pid : null,
      fullscreen: wordsOf(states).includes(atom('_NET_WM_STATE_FULLSCREEN')),
    };
  };

  return {
    async active() {
      const window = await number(x11.root, '_NET_ACTIVE_WINDOW');
      if (window === null) return undefined;
      if (window === 0) return null;
      watch(window);
      try {
        return await describe(window);
      } catch (error) {
        // It was closed between the two requests.
        if (error instanceof X11Error) return null;
        throw error;
      }
    },
    async desktop() {
      const [index, count, labels] = await Promise.all([
        number(x11.root, '_NET_CURRENT_DESKTOP'),
        number(x11.root, '_NET_NUMBER_OF_DESKTOPS'),
        property(x11.root, '_NET_DESKTOP_NAMES', mostDesktops * titleWords),
      ]);
      if (index === null) return undefined;
      return { index, count: Math.max(count ?? 0, index + 1), name: decode(labels).split('\0')[index] ?? '' };
    },
    concerns(event) {
      const kind = eventKind(event);
      // Not every window manager reports that the last window was closed.
      if (kind === events.destroyNotify && event.readUInt32LE(8) === watched) {
        watched = 0;
        return 'window';
      }
      if (kind !== events.propertyNotify) return null;
      const [window, changed] = [event.readUInt32LE(4), event.readUInt32LE(8)];
      if (window !== x11.root) return window === watched && ofWindows.has(changed) ? 'window' : null;
      if (changed === atom('_NET_ACTIVE_WINDOW')) return 'window';
      return ofDesktops.has(changed) ? 'desktop' : null;
    },
    follow() {
      following = true;
      x11.send(requests.changeWindowAttributes, 0, x11Words(x11.root, eventMask, propertyChange));
    },
  };
}

const wordsOf = (bytes: Buffer): number[] =>
  Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readUInt32LE(4 * index));

/** Older programs use Latin-1. The last character may be truncated. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8').replace(/\ufffd+$/, '');
  // Escape sequences that enclose UTF-8 in compound text.
  return (text.includes('\ufffd') ? bytes.toString('latin1') : text)
    .replaceAll('\u001b%G', '')
    .replaceAll('\u001b%@', '');
}
