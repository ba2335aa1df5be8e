/** What a platform implements. */
export interface BrightnessControl {
  /** null: a display is there whose brightness can be set. */
  unavailable(): string | null;
  /** Those of these displays whose brightness can be set. */
  dimmable(displays: readonly string[]): string[];
  /** Sets it for these displays, which are dimmable; answers what each of them has now. */
  set(displays: readonly string[], percent: number): Promise<{ id: string; brightness: number }[]>;
}
