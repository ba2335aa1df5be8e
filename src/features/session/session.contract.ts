export type SessionSwitch = 'do_not_disturb' | 'night_light';

/** What a platform implements, for each switch. */
export interface SessionSwitchControl {
  /** null: there is somebody who can be told. */
  unavailable(): Promise<string | null>;
  /** Answers who was told, and whether it was seen to be so. */
  set(on: boolean): Promise<{ by: string; confirmed: boolean }>;
}
