import { type ChildProcess, spawn } from 'node:child_process';
import type { Scope } from '../../../src/access/scopes.ts';
import type { Reason } from '../../../src/core/reasons.ts';
import { createStore } from '../../../src/core/store.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import type { UserSession } from '../../../src/features/session/session.schema.ts';
import { session } from '../../../src/features/session/session.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';
import { hostIn } from './session-host.ts';

/** A listener to the session with these variables; the interval never elapses, so that only announced changes are pushed. */
export function listenToSession(
  variables: Record<string, string>,
  { scopes = ['read', 'screen'], idleAfter = 300, interval = 86_400_000 }: ListenerOptions = {},
) {
  const host = hostIn(variables);
  const settings = { ...defaultSettings, session: { idleAfter }, modules: { session: { interval } } };
  const store = createStore({ modules: [session.module], host, context: fakeContext({ settings: () => settings }) });
  const view = store.seenBy({ scopes: new Set(scopes) });
  const pushed: UserSession[] = [];
  let reasons: Reason[] = [];
  const stop = view.listen('session', (reading) => {
    pushed.push(reading.payload as UserSession);
    reasons = reading.reasons;
  });
  const last = () => pushed.at(-1);
  return {
    pushed,
    last,
    store,
    why: (field: string) => reasons.find((each) => each.field === field)?.reason,
    has: (what: string, condition: (payload: UserSession) => boolean) =>
      until(() => {
        const payload = last();
        return payload !== undefined && condition(payload);
      }, what),
    async close() {
      stop();
      store.close();
      await host.close();
    },
  };
}

export interface ListenerOptions {
  scopes?: Scope[];
  idleAfter?: number;
  interval?: number;
}

/** A program that ends with the test; `kill` is a crash. */
export function startProgram(name: string, args: string[], env: Record<string, string>) {
  const child: ChildProcess = spawn(findProgram(name) ?? name, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: 'ignore',
  });
  return { kill: () => endProcess(child) };
}
