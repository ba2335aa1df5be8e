/** `reconnected`: events may have been missed. */
export type MachineEvent = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'reconnected';

/** Calls back with events until the returned function is called. Rejects where the system does not announce them. */
export type FollowMachine = (received: (event: MachineEvent) => void) => Promise<() => void>;

/**
 * Calls back at once when the wall clock was set or the machine resumed from sleep. `lost`: there are no further calls. Rejects where the
 * system does not report it. Returns the function that unsubscribes.
 */
export type FollowWallClock = (moved: () => void, lost: () => void) => Promise<() => void>;
