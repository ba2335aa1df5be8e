import type { NamedDisplay } from './displays.targets.ts';

/** What a platform implements. `known`: all displays. */
export interface BrightnessControl {
  /** null: the brightness of at least one display can be set. */
  unavailable(): Promise<string | null>;
  /** Those of these displays whose brightness can be set. */
  dimmable(displays: readonly string[], known: readonly NamedDisplay[]): Promise<string[]>;
  whyNot(display: string): Promise<string>;
  /** Sets it for these dimmable displays; returns the new values. Displays that fail are left out, unless all do. */
  set(
    displays: readonly string[],
    percent: number,
    known: readonly NamedDisplay[],
  ): Promise<{ id: string; brightness: number }[]>;
}

/** What a platform implements for external monitors. */
export interface MonitorControl {
  /** null: at least one monitor can be controlled. */
  unavailable(): Promise<string | null>;
  /** Those of these displays that can be controlled. */
  controllable(displays: readonly string[]): Promise<string[]>;
  whyNot(display: string): Promise<string>;
  /** Returns the new values. Monitors that fail are left out, unless all do. */
  setContrast(displays: readonly string[], percent: number): Promise<{ id: string; contrast: number }[]>;
  /** Refuses an input that the monitor does not have; returns it as the monitor lists it. */
  setInput(display: string, input: string): Promise<string>;
}

export interface DisplayPowerControl {
  /** null: the desktop can switch displays, or a monitor can be switched over DDC/CI. */
  unavailable(): Promise<string | null>;
  /**
   * `all`: these are all displays; some desktops switch all together only. `confirmed`: the new state was read back. Returns the displays that
   * were switched: without a desktop, the monitors that can be controlled.
   */
  set(
    meant: { displays: readonly string[]; all: boolean },
    power: 'on' | 'off',
  ): Promise<{ displays: readonly string[]; confirmed: boolean }>;
}
