import { ClientError } from './client-error.ts';
import { liveIntervals, type ModuleName, type ModulePayloads } from './events.ts';
import type { SendRequest } from './requests.ts';

export type Update<M extends ModuleName> = { [K in M]: [module: K, data: ModulePayloads[K]] }[M];

export interface ListenOptions {
  /**
   * Milliseconds between two updates. Default: 1 s for what changes all the time (processes, networks, sensors: 2 s). Changes that the
   * machine announces come at once.
   */
  interval?: number;
}

/** A payload may be repeated after another listener was added. */
export interface Listen {
  <M extends ModuleName>(
    modules: readonly M[],
    callback: (...update: Update<M>) => void,
    options?: ListenOptions,
  ): () => void;
  /** Modules of a newer service. */
  (modules: readonly string[], callback: (module: string, data: unknown) => void, options?: ListenOptions): () => void;
}

/** Rejects with ABSENT and the reason where the module has no payload. */
export type Read = <M extends ModuleName>(module: M) => Promise<ModulePayloads[M]>;

export interface Listeners {
  listen: Listen;
  read: Read;
  updated(module: string, data: unknown): void;
  opened(): void;
  ended(): void;
}

interface Listener {
  modules: readonly string[];
  interval?: number | undefined;
  deliver(module: string, data: unknown): void;
}

/** A fifth of the window in which the service counts registrations. */
const againMs = 2000;

/** Merges all listeners of a client: the service knows one list per connection. */
export function createListeners(
  request: SendRequest,
  guarded: (work: () => void) => void,
  onProblem: (problem: unknown) => void,
): Listeners {
  const listeners = new Set<Listener>();
  const readers = new Set<Listener>();
  /** Reads without a result so far. */
  const promised = new Set<(problem: unknown) => void>();
  const latest = new Map<string, unknown>();
  let open = false;
  /** The list registered on this connection, as text. */
  let registered = '';
  let planned = false;

  /** Once for all changes of one tick. */
  const plan = () => {
    if (planned) return;
    planned = true;
    queueMicrotask(() => {
      planned = false;
      if (open) register();
    });
  };

  const register = () => {
    const modules = [...new Set([...listeners].flatMap((listener) => listener.modules))].sort();
    for (const module of [...latest.keys()]) if (!modules.includes(module)) latest.delete(module);
    const interval = intervalsOf(listeners);
    const wanted = modules.length === 0 ? '' : JSON.stringify([modules, interval]);
    if (wanted === registered) return;
    registered = wanted;
    const response =
      wanted === '' ? request('UNREGISTER_DATA_LISTENER') : request('REGISTER_DATA_LISTENER', { modules, interval });
    response.then(
      ({ message }) => {
        if (message !== '') onProblem(new ClientError('ABSENT', message));
      },
      (problem) => {
        // After an end the next connection registers anyway.
        if (!open) return;
        if (problem instanceof ClientError && problem.code === 'RATE_LIMITED') {
          // Rate-limited: the previous registration still holds, and this one is sent again later.
          registered = '?';
          setTimeout(plan, againMs);
        } else onProblem(problem);
      },
    );
  };

  const add = (listener: Listener) => {
    listeners.add(listener);
    plan();
    queueMicrotask(() => {
      for (const module of listener.modules) {
        if (listeners.has(listener) && latest.has(module)) listener.deliver(module, latest.get(module));
      }
    });
    return () => {
      if (listeners.delete(listener)) plan();
    };
  };

  return {
    listen: (
      modules: readonly string[],
      callback: (module: never, data: never) => void,
      { interval }: ListenOptions = {},
    ) =>
      add({
        modules: [...modules],
        interval,
        // Payloads match the schemas of the service.
        deliver: (module, data) => guarded(() => callback(module as never, data as never)),
      }),
    read: (name) =>
      new Promise((resolve, reject) => {
        const done = () => {
          readers.delete(reader);
          promised.delete(fail);
        };
        const fail = (problem: unknown) => {
          done();
          reject(problem);
        };
        const reader: Listener = {
          modules: [name],
          deliver(_, data) {
            done();
            resolve(data as ModulePayloads[typeof name]);
          },
        };
        readers.add(reader);
        request('GET_DATA', { modules: [name] }).then(({ message }) => {
          if (message !== '') fail(new ClientError('ABSENT', message));
          else if (readers.has(reader)) promised.add(fail);
        }, fail);
      }),
    updated(module, data) {
      const wanted = ({ modules }: Listener) => modules.includes(module);
      const listening = [...listeners].filter(wanted);
      if (listening.length > 0) latest.set(module, data);
      for (const listener of [...listening, ...[...readers].filter(wanted)]) listener.deliver(module, data);
    },
    opened() {
      open = true;
      registered = '';
      register();
    },
    ended() {
      open = false;
      latest.clear();
      for (const fail of promised)
        fail(new ClientError('CONNECTION_LOST', 'The connection ended before the data arrived'));
    },
  };
}

/** The shortest one for each module. */
function intervalsOf(listeners: Iterable<Listener>): Record<string, number> {
  const found = new Map<string, number>();
  for (const { modules, interval } of listeners)
    for (const module of modules) {
      const wanted = interval ?? liveIntervals[module];
      if (wanted !== undefined) found.set(module, Math.min(wanted, found.get(module) ?? wanted));
    }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
