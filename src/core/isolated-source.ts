import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Thread } from '../lib/thread.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Source } from './module.ts';
import { collectReasons, type Reason, type Reasons, report } from './reasons.ts';

export type ToModuleThread =
  | { kind: 'read'; id: number; settings: Settings }
  | { kind: 'watch'; settings: Settings }
  | { kind: 'unwatch' };

export type FromModuleThread =
  | { kind: 'payload'; id: number; payload: unknown; reasons: Reason[]; cpuMs: number }
  | { kind: 'failure'; id: number; message: string; cpuMs: number }
  | { kind: 'changed' };

/** Starts the thread of a module; `ended` is called when it dies unexpectedly. */
export type StartModuleThread = (
  onMessage: (message: FromModuleThread) => void,
  ended: (reason: string) => void,
) => Promise<ModuleThread>;

export interface ModuleThread extends Omit<Thread, 'send'> {
  send(message: ToModuleThread): void;
}

const idleMs = 30_000;

/** A source that reads in a thread: if it blocks in the kernel, only that thread is blocked. Idle threads are ended. */
export function isolatedSource(start: StartModuleThread, settings: () => Settings, clock: Clock): Source<unknown> {
  const waiting = new Map<number, { reasons: Reasons; resolve(payload: unknown): void; reject(error: Error): void }>();
  let thread: Promise<ModuleThread> | null = null;
  let changed: (() => void) | null = null;
  let nextId = 0;
  /** Of the last read, until it is collected. */
  let cpuMs = 0;
  let cancelIdle = () => {};

  const receive = (message: FromModuleThread) => {
    if (message.kind === 'changed') return changed?.();
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (asked === undefined) return;
    cpuMs = message.cpuMs;
    if (message.kind === 'failure') return asked.reject(new Error(message.message));
    report(message.reasons, asked.reasons);
    asked.resolve(message.payload);
  };

  const lost = (reason: string) => {
    thread = null;
    for (const { reject } of waiting.values()) reject(new Error(`its thread ended: ${reason}`));
    waiting.clear();
  };

  const send = (message: ToModuleThread) => {
    if (thread === null) {
      thread = start(receive, lost);
      thread.catch((error) => lost(messageOf(error)));
      if (changed !== null && message.kind !== 'watch') send({ kind: 'watch', settings: settings() });
    }
    // A thread that could not be started was reported as lost.
    void thread.then((running) => running.send(message)).catch(() => {});
  };

  const end = () => {
    cancelIdle();
    void thread?.then((running) => running.end()).catch(() => {});
    lost('it was abandoned');
  };

  const endWhenIdle = () => {
    cancelIdle();
    cancelIdle = clock.after(idleMs, () => {
      if (waiting.size === 0 && changed === null) end();
    });
  };

  return {
    read(reasons) {
      const id = nextId++;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { reasons, resolve, reject });
      send({ kind: 'read', id, settings: settings() });
      return promise.finally(endWhenIdle);
    },
    watch(onChange) {
      changed = onChange;
      send({ kind: 'watch', settings: settings() });
      return () => {
        changed = null;
        if (thread !== null) send({ kind: 'unwatch' });
        endWhenIdle();
      };
    },
    cpuElsewhereMs() {
      const usedMs = cpuMs;
      cpuMs = 0;
      return usedMs;
    },
    close: end,
  };
}

/** The other side, inside the thread. `cpu` is the thread's clock: everything in the thread is done for this module. */
export function serveThread(
  source: Source<unknown>,
  send: (message: FromModuleThread) => void,
  setSettings: (settings: Settings) => void,
  cpu: () => number,
) {
  let stopWatching = () => {};
  let reportedMs = 0;
  const sinceLastReport = () => {
    const usedMs = cpu() - reportedMs;
    reportedMs += usedMs;
    return usedMs;
  };
  const receive = async (message: ToModuleThread): Promise<void> => {
    if (message.kind === 'unwatch') return stopWatching();
    setSettings(message.settings);
    if (message.kind === 'watch') {
      stopWatching();
      stopWatching = source.watch?.(() => send({ kind: 'changed' })) ?? (() => {});
      return;
    }
    const { reasons, collected } = collectReasons();
    try {
      const payload = await source.read(reasons);
      send({ kind: 'payload', id: message.id, payload, reasons: collected, cpuMs: sinceLastReport() });
    } catch (error) {
      send({ kind: 'failure', id: message.id, message: messageOf(error), cpuMs: sinceLastReport() });
    }
  };
  return {
    receive,
    end() {
      stopWatching();
      source.close?.();
    },
  };
}
