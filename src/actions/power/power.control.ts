import type { Host } from '../../host/host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { currentPlatform, type PerPlatform } from '../../lib/platform.ts';
import type { Verb } from './power.verbs.ts';

/** What a platform implements. null: it cannot, and the action answers "unsupported". */
export interface PowerControl {
  verbs: Record<Verb, VerbControl | null>;
  announcements: Announcements | null;
  /** Shows the user something; returns the way to take it away. Rejects where nobody can be shown anything. */
  notify: ((host: Host, notice: Notice) => Promise<() => void>) | null;
}

export interface Notice {
  title: string;
  body: string;
  /** What its button does; null: it has none. */
  cancel: (() => void) | null;
}

export interface VerbControl {
  /** Throws what stands in the way now: unsupported, forbidden, conflict. */
  check(host: Host, options: { force: boolean }): Promise<void>;
  /** Resolves with one sentence once the system has accepted the order; checks for itself. */
  perform(host: Host, options: { force: boolean }): Promise<string>;
}

export interface Announcements {
  /** Hears of what is about to happen until the returned function is called. */
  follow(host: Host, heard: (event: MachineEvent) => void): Promise<() => void>;
  /** Makes sleep and shutdown wait for us, a few seconds at most, until the returned function is called. */
  delay(host: Host): Promise<() => void>;
}

/** `reconnected`: what was heard and held before may be gone. */
export type MachineEvent = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'reconnected';

const controls: PerPlatform<PowerControl> = {
  linux: async () => (await import('./power.linux.ts')).powerLinux,
};

export async function loadControl(): Promise<PowerControl | null> {
  return currentPlatform === null ? null : ((await controls[currentPlatform]?.()) ?? null);
}

export async function controlOf(verb: Verb, load = loadControl): Promise<VerbControl> {
  const control = (await load())?.verbs[verb];
  if (control) return control;
  throw new ServiceError('unsupported', `power.${verb} is not supported on this system yet`);
}
