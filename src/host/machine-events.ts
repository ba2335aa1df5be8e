/** `reconnected`: what was heard before may have been missed since. */
export type MachineEvent = 'sleep' | 'resume' | 'shutdown' | 'shutdown-cancelled' | 'reconnected';

/** Hears of what is about to happen until the returned function is called. Rejects where nobody announces it. */
export type FollowMachine = (heard: (event: MachineEvent) => void) => Promise<() => void>;
