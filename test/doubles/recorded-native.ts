import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../src/host/linux/linux-host.ts';
import type { NativeLibrary } from '../../src/host/native-library.ts';
import type { Native } from '../../src/host/windows/native/native.ts';
import type { WindowsHost } from '../../src/host/windows/windows-host.ts';

/** Windows' libraries as a recording has them: what each call answered, by the call. A call that was not recorded is an error. */
export function recordedNative(directory: string): Native {
  const answer = (call: string): unknown => {
    // Read each time: the machine may have advanced.
    const calls = JSON.parse(fs.readFileSync(path.join(directory, 'calls.json'), 'utf8')) as Record<string, unknown>;
    if (!Object.hasOwn(calls, call)) throw new Error(`${call} was not recorded`);
    return decode(calls[call]);
  };
  const client = (library: string) =>
    new Proxy(
      {},
      {
        // An `await` asks for `then`, which no library has.
        get: (_target, name) =>
          name === 'then' ? undefined : (...args: unknown[]) => answer(callText(library, String(name), args)),
      },
    );
  return new Proxy({} as Native, {
    get: (_target, library) => (library === 'then' ? undefined : client(String(library))),
  });
}

/** Of what a test can be given, the parts that make it a Windows machine. */
export function recordedMachine(directory: string): Partial<LinuxHost> {
  const native = recordedNative(directory);
  const parts = {
    platform: 'windows',
    native: nativeOf(native),
    nativeElsewhere: elsewhere(native),
    // Nothing is announced.
    messages: { latest: () => ({ lidClosed: null, locked: null }), follow: async () => () => {} },
  };
  return parts as unknown as Partial<LinuxHost>;
}

/** What Windows answers about the desktop; by default the user's own is shown, on the screen of the machine. */
export interface ShownDesktop {
  isService?: boolean;
  /** The lock screen or a UAC prompt is shown instead. */
  isCovered?: boolean;
  isLocked?: boolean | null;
  /** The session on the screen of the machine; that of this process is 1. */
  atConsole?: number;
  /** WTS_CONNECTSTATE_CLASS: 0 active, 4 disconnected. */
  state?: number | null;
}

export const desktopShown = ({
  isService = false,
  isCovered = false,
  isLocked = false,
  atConsole = 1,
  state = 0,
}: ShownDesktop = {}) => ({
  inputDesktop: {
    isService: () => isService,
    sessions: () => ({ own: 1, atConsole }),
    isShown: () => !isCovered,
  },
  wtsapi32: { isLocked: () => isLocked, ownState: () => state },
});

/** Every reason to refuse what needs the desktop. */
export const hiddenDesktops = [
  ['in a service', desktopShown({ isService: true }), 'runs as a service'],
  ['while another desktop is shown', desktopShown({ isCovered: true }), 'The screen is locked, or Windows is asking'],
  ['while it is locked', desktopShown({ isLocked: true }), 'The screen is locked, or Windows is asking'],
  ['after a switch of users', desktopShown({ atConsole: 2, state: 4 }), 'This session is not on the screen'],
  [
    'without a session on the screen',
    desktopShown({ atConsole: 0xffff_ffff, state: null }),
    'This session is not on the screen',
  ],
] as const;

/** Gives the libraries of an object, by their names, also those that features declare. */
export const nativeOf = (native: object): WindowsHost['native'] =>
  (async (library?: NativeLibrary) =>
    library === undefined ? native : Reflect.get(native, library.name)) as WindowsHost['native'];

/** As if they were called in a thread. */
export const elsewhere = (native: object): WindowsHost['nativeElsewhere'] => calledLater(nativeOf(native));

export const calledLater = (native: WindowsHost['native']): WindowsHost['nativeElsewhere'] => {
  const find = async (library: string | NativeLibrary): Promise<object> =>
    typeof library === 'string' ? Reflect.get(await native(), library) : await native(library);
  return ((library: string | NativeLibrary) => {
    const get = (_target: object, name: string | symbol) =>
      name === 'then'
        ? undefined
        : async (...args: unknown[]) => {
            const client = await find(library);
            return await Reflect.apply(Reflect.get(client, name), client, args);
          };
    return new Proxy({}, { get });
  }) as WindowsHost['nativeElsewhere'];
};

export interface Recording {
  /** The same libraries, whose calls are recorded. */
  native: WindowsHost['native'];
  /** What every call answered the first time… */
  first: Record<string, unknown>;
  /** …and the last, where there was more than one. */
  later: Record<string, unknown>;
}

/** Records what a source asks Windows' libraries, and what they answer. */
export function recordNative(native: WindowsHost['native']): Recording {
  const first: Record<string, unknown> = {};
  const later: Record<string, unknown> = {};
  const listening = <T extends object>(client: T, library: string): T =>
    new Proxy(client, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          const value: unknown = Reflect.apply(method, target, args);
          const call = callText(library, String(name), args);
          const kept = Object.hasOwn(first, call) ? later : first;
          kept[call] = encode(value);
          return value;
        };
      },
    });
  const shared = async () =>
    new Proxy(await native(), {
      get(target, library) {
        const client: unknown = Reflect.get(target, library);
        return typeof client === 'object' && client !== null ? listening(client, String(library)) : client;
      },
    });
  const listened = async (library?: NativeLibrary) =>
    library === undefined ? await shared() : listening(await native(library), library.name);
  return { native: listened as WindowsHost['native'], first, later };
}

const callText = (library: string, name: string, args: unknown[]) =>
  `${library}.${name}(${args.map((argument) => JSON.stringify(argument)).join(', ')})`;

/** Bytes without trailing zeros, which most buffers have many of. */
function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    let end = value.length;
    while (end > 0 && value[end - 1] === 0) end -= 1;
    return { length: value.length, base64: Buffer.from(value.subarray(0, end)).toString('base64') };
  }
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, encode(entry)]));
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if ('base64' in value && 'length' in value) {
    const bytes = new Uint8Array(Number(value.length));
    bytes.set(Buffer.from(String(value.base64), 'base64'));
    return bytes;
  }
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, decode(entry)]));
}
