export type SessionSwitch = 'do_not_disturb' | 'night_light';

/** What a platform implements, for each switch. */
export interface SessionSwitchControl {
  /** null: a program can switch it. */
  unavailable(): Promise<string | null>;
  /** Returns the program that received the request, and whether its state has changed. */
  set(on: boolean): Promise<{ by: string; confirmed: boolean }>;
}
