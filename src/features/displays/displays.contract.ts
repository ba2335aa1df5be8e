import type { NamedDisplay } from './displays.targets.ts';

/** What a platform implements. `known`: all displays there are. */
export interface BrightnessControl {
  /** null: a display is there whose brightness can be set. */
  unavailable(): Promise<string | null>;
  /** Those of these displays whose brightness can be set. */
  dimmable(displays: readonly string[], known: readonly NamedDisplay[]): Promise<string[]>;
  /** Why it cannot be set for this one. */
  whyNot(display: string): Promise<string>;
  /** Sets it for these displays, which are dimmable; answers what each of them has now. Those that fail are left out, unless all do. */
  set(
    displays: readonly string[],
    percent: number,
    known: readonly NamedDisplay[],
  ): Promise<{ id: string; brightness: number }[]>;
}

/** What a platform implements for what only monitors at a cable have. */
export interface MonitorControl {
  /** null: a monitor is there that can be told. */
  unavailable(): Promise<string | null>;
  /** Those of these displays that can be told something. */
  tellable(displays: readonly string[]): Promise<string[]>;
  /** Why this one cannot. */
  whyNot(display: string): Promise<string>;
  /** Answers what each of them has now. Those that fail are left out, unless all do. */
  setContrast(displays: readonly string[], percent: number): Promise<{ id: string; contrast: number }[]>;
  /** Refuses what is no input of it; answers the input as the monitor lists it. */
  setInput(display: string, input: string): Promise<string>;
}

/** What a platform implements. */
export interface DisplayPowerControl {
  /** null: there is a desktop that switches displays, or a monitor that can be told itself. */
  unavailable(): Promise<string | null>;
  /**
   * `all`: these are all there are; some desktops know no less. `confirmed`: they were seen to obey. Answers which were switched: without a
   * desktop those monitors that can be told themselves.
   */
  set(
    meant: { displays: readonly string[]; all: boolean },
    power: 'on' | 'off',
  ): Promise<{ displays: readonly string[]; confirmed: boolean }>;
}
