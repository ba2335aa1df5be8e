/** What a platform implements. */
export interface BrightnessControl {
  /** null: a display is there whose brightness can be set. */
  unavailable(): string | null;
  /** Those of these displays whose brightness can be set. */
  dimmable(displays: readonly string[]): string[];
  /** Sets it for these displays, which are dimmable; answers what each of them has now. */
  set(displays: readonly string[], percent: number): Promise<{ id: string; brightness: number }[]>;
}

/** What a platform implements. */
export interface DisplayPowerControl {
  /** null: there is a desktop that switches displays. */
  unavailable(): Promise<string | null>;
  /** `all`: these are all there are; some desktops know no less. `confirmed`: they were seen to obey. */
  set(meant: { displays: readonly string[]; all: boolean }, power: 'on' | 'off'): Promise<{ confirmed: boolean }>;
}
