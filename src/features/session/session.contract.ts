export type SessionSwitch = 'do_not_disturb' | 'night_light';

/** What a platform implements, for each switch. */
export interface SessionSwitchControl {
  /** null: a program can switch it. */
  unavailable(): Promise<string | null>;
  /** Returns the program that received the request, and whether its state has changed. */
  set(on: boolean): Promise<{ by: string; confirmed: boolean }>;
}

/** What a platform implements to keep the machine awake. */
export interface AwakeControl {
  /** null: it can. */
  unavailable(): Promise<string | null>;
  /** `why`: shown by the system to people who ask why it does not sleep. */
  hold(why: string): Promise<AwakeHold>;
}

export interface AwakeHold {
  /** `idle`: it does not sleep because it is unused; `sleep`: an order to sleep is refused as well. */
  blocks: readonly ('sleep' | 'idle')[];
  /** May be called twice. */
  release(): void;
}

export interface ProfileControl {
  /** null: it can be set. */
  unavailable(): Promise<string | null>;
  /** Throws invalid with the choices. Returns the profile in use afterwards. */
  set(profile: string): Promise<string>;
}
