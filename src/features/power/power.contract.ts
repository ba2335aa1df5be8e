import type { FollowMachine } from '../../host/machine-events.ts';
import type { Verb } from './power.verbs.ts';

/** What a platform implements. null: it cannot, and the action answers "unsupported". */
export interface PowerControl {
  verbs: Record<Verb, VerbControl | null>;
  announcements: Announcements | null;
  /** Shows a notification; returns the function that removes it. Rejects if none can be shown. */
  notify: ((notice: Notice) => Promise<() => void>) | null;
}

export interface Notice {
  title: string;
  body: string;
  /** The action of its button; null: no button. */
  cancel: (() => void) | null;
}

export interface VerbControl {
  /** Throws the current obstacle: unsupported, forbidden, conflict. */
  check(options: { force: boolean }): Promise<void>;
  /**
   * Resolves with one sentence once the system has accepted the order; includes the check. `failed`: why it was not carried out afterwards.
   */
  perform(options: { force: boolean }, failed?: (reason: string) => void): Promise<string>;
}

export interface Announcements {
  /** Receives announcements of sleep and shutdown until the returned function is called. */
  follow: FollowMachine;
  /** Delays sleep and shutdown, a few seconds at most, until the returned function is called. */
  delay(): Promise<() => void>;
}
