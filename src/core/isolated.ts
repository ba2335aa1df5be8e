import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { Reason, Reasons, Source } from './module.ts';
import { collectReasons } from './reasons.ts';

/** What goes into the thread… */
export type ToThread =
  | { kind: 'read'; id: number; settings: Settings }
  | { kind: 'watch'; settings: Settings }
  | { kind: 'unwatch' }
  | { kind: 'end' };

/** …and what comes out of it. */
export type FromThread =
  | { kind: 'payload'; id: number; payload: unknown; reasons: Reason[] }
  | { kind: 'failure'; id: number; message: string }
  | { kind: 'changed' };

export interface Thread {
  send(message: ToThread): void;
  /** Lets go of it. Nothing is waited for: it may be blocked in the kernel. */
  end(): void;
}

/** Starts a thread; `ended` is called when it dies by itself. */
export type StartThread = (onMessage: (message: FromThread) => void, ended: (reason: string) => void) => Thread;

const idleMs = 30_000;

/** A source whose reading happens in a thread: if it blocks in the kernel, only that thread does. Idle threads are given back. */
export function isolatedSource(start: StartThread, settings: () => Settings, clock: Clock): Source<unknown> {
  const waiting = new Map<number, { reasons: Reasons; resolve(payload: unknown): void; reject(error: Error): void }>();
  let thread: Thread | null = null;
  let changed: (() => void) | null = null;
  let nextId = 0;
  let cancelIdle = () => {};

  const receive = (message: FromThread) => {
    if (message.kind === 'changed') return changed?.();
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (asked === undefined) return;
    if (message.kind === 'failure') return asked.reject(new Error(message.message));
    for (const { field, reason, mendable } of message.reasons) {
      if (mendable) asked.reasons.missing(field, reason);
      else asked.reasons.inherent(field, reason);
    }
    asked.resolve(message.payload);
  };

  const lost = (reason: string) => {
    thread = null;
    for (const { reject } of waiting.values()) reject(new Error(`its thread ended: ${reason}`));
    waiting.clear();
  };

  const running = (): Thread => {
    if (thread === null) {
      thread = start(receive, lost);
      if (changed !== null) thread.send({ kind: 'watch', settings: settings() });
    }
    return thread;
  };

  const end = () => {
    cancelIdle();
    thread?.end();
    lost('it was given up');
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
      running().send({ kind: 'read', id, settings: settings() });
      return promise.finally(endWhenIdle);
    },
    watch(onChange) {
      changed = onChange;
      running().send({ kind: 'watch', settings: settings() });
      return () => {
        changed = null;
        thread?.send({ kind: 'unwatch' });
        endWhenIdle();
      };
    },
    close: end,
  };
}

/** The other side, inside the thread. */
export function serveThread(
  source: Source<unknown>,
  send: (message: FromThread) => void,
  setSettings: (settings: Settings) => void,
) {
  let stopWatching = () => {};
  return async (message: ToThread): Promise<void> => {
    if (message.kind === 'unwatch' || message.kind === 'end') stopWatching();
    if (message.kind === 'end') return source.close?.();
    if (message.kind === 'unwatch') return;
    setSettings(message.settings);
    if (message.kind === 'watch') {
      stopWatching();
      stopWatching = source.watch?.(() => send({ kind: 'changed' })) ?? (() => {});
      return;
    }
    const { reasons, collected } = collectReasons();
    try {
      const payload = await source.read(reasons);
      send({ kind: 'payload', id: message.id, payload, reasons: collected });
    } catch (error) {
      send({ kind: 'failure', id: message.id, message: messageOf(error) });
    }
  };
}
