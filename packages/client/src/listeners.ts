import { ClientError } from './client-error.ts';
import { liveIntervals, type ModuleName, type ModulePayloads, type Reply, type Selection } from './events.ts';
import type { RequestOptions } from './requests.ts';

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
  /** Modules that are known at run time only, such as those of a newer service. */
  <M extends string>(
    modules: readonly (M extends ModuleName ? M : UnlistedModule<M>)[],
    callback: (module: string, data: unknown) => void,
    options?: ListenOptions,
  ): () => void;
}

type UnlistedModule<M extends string> = string extends M
  ? string
  : `There is no module ${M}; one of a newer service is passed as a string: '${M}' as string`;

/** Rejects with ABSENT and the reason where the module has no payload. */
export type Read = <M extends ModuleName>(module: M, selection?: Selection) => Promise<ModulePayloads[M]>;

/** Events that a program does not send itself. */
export type SendAny = (event: string, data?: unknown, options?: RequestOptions) => Promise<Reply<unknown>>;

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
  request: SendAny,
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
  /** Names that this service does not know. */
  const refused = new Set<string>();

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
    const wantedModules = new Set([...listeners].flatMap((listener) => listener.modules));
    const modules = [...wantedModules].filter((module) => !refused.has(module)).sort();
    for (const module of [...latest.keys()]) if (!modules.includes(module)) latest.delete(module);
    const interval = intervalsOf(listeners);
    const wanted = modules.length === 0 ? '' : JSON.stringify([modules, interval]);
    if (wanted === registered) return;
    registered = wanted;
    const response =
      wanted === '' ? request('UNREGISTER_DATA_LISTENER') : request('REGISTER_DATA_LISTENER', { modules, interval });
    response.catch((problem) => {
      // After an end the next connection registers anyway.
      if (!open) return;
      // In both cases the previous registration still holds.
      const unknown = unknownIn(problem);
      if (unknown.length > 0) {
        for (const module of unknown) refused.add(module);
        registered = '?';
        plan();
        onProblem(new ClientError('ABSENT', problem.message));
      } else if (problem instanceof ClientError && problem.code === 'RATE_LIMITED') {
        registered = '?';
        setTimeout(plan, againMs);
      } else onProblem(problem);
    });
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
    read: (name, selection) =>
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
        // A selected part comes under the id of the request.
        if (selection === undefined) readers.add(reader);
        const options = selection && { onMessage: (_type: string, data: unknown) => reader.deliver(name, data) };
        request('GET_DATA', { modules: [name], ...selection }, options).then(({ message }) => {
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
      refused.clear();
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

/** The names in a refused registration. */
function unknownIn(problem: unknown): string[] {
  const data: { unknownModules?: unknown } = (problem instanceof ClientError && problem.data) || {};
  return Array.isArray(data.unknownModules) ? data.unknownModules.map(String) : [];
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
