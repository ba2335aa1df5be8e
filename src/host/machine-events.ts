/** `reconnected`: what was heard before may have been missed since. */
export type MachineEvent = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'reconnected';

/** Hears of what is about to happen until the returned function is called. Rejects where nobody announces it. */
export type FollowMachine = (heard: (event: MachineEvent) => void) => Promise<() => void>;

/**
 * Hears that the wall clock was moved at once: somebody has set it, or the machine has slept. `lost`: from now on nothing is heard. Rejects where the
 * system does not tell. Returns the way to stop.
 */
export type FollowWallClock = (moved: () => void, lost: () => void) => Promise<() => void>;
