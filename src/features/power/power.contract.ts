import type { FollowMachine } from '../../host/machine-events.ts';
import type { Verb } from './power.verbs.ts';

/** What a platform implements. null: it cannot, and the action answers "unsupported". */
export interface PowerControl {
  verbs: Record<Verb, VerbControl | null>;
  announcements: Announcements | null;
  /** Shows the user something; returns the way to take it away. Rejects where nobody can be shown anything. */
  notify: ((notice: Notice) => Promise<() => void>) | null;
}

export interface Notice {
  title: string;
  body: string;
  /** What its button does; null: it has none. */
  cancel: (() => void) | null;
}

export interface VerbControl {
  /** Throws what stands in the way now: unsupported, forbidden, conflict. */
  check(options: { force: boolean }): Promise<void>;
  /** Resolves with one sentence once the system has accepted the order; checks for itself. */
  perform(options: { force: boolean }): Promise<string>;
}

export interface Announcements {
  /** Hears of what is about to happen until the returned function is called. */
  follow: FollowMachine;
  /** Makes sleep and shutdown wait for us, a few seconds at most, until the returned function is called. */
  delay(): Promise<() => void>;
}
