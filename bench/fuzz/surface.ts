import type { RunningHostler } from '../harness/harness.ts';
import type { Junk } from './junk.ts';

/** A way into the service that junk is thrown at. */
export interface Surface {
  name: string;
  /** Who can do this: any client, or a client with a token, which may use more memory. */
  by: 'unauthenticated' | 'caller';
  /** Lines of the log, above INFO, that this junk may well cause. */
  expected: RegExp[];
  /** Before the service starts. */
  prepare?(directory: string): void;
  /** Ends when the time is over. */
  throwJunk(target: Target): Promise<void>;
}

export interface Target {
  hostler: RunningHostler;
  directory: string;
  seed: number;
  junk: Junk;
  isOver(): boolean;
  /** Something was sent, or written. */
  sent(): void;
  /** An answer came. 500 is a fault of ours. */
  answered(status: number, to: string): void;
  /** Something that must not be. */
  fault(sentence: string): void;
}

/** The same junk from an unauthenticated client. */
export const withoutToken = (surface: Surface): Surface => ({
  ...surface,
  name: `${surface.name}-unauthenticated`,
  by: 'unauthenticated',
  throwJunk: (target) => surface.throwJunk({ ...target, hostler: { ...target.hostler, token: 'x'.repeat(43) } }),
});

/** Always answered by a warning once a minute, whatever the surface. */
export const wrongTokens = /access: too many wrong tokens from/;
