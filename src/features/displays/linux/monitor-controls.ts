import { parseCapabilities } from '@hostler/ddc/capabilities.ts';
import type { VcpValue } from '@hostler/ddc/ddc.ts';
import { inputName, monitorPower, vcp } from '@hostler/ddc/vcp.ts';
import type { MonitorReply, MonitorValues } from './monitor-requests.ts';

/** Values that a monitor reports. null: not supported. */
export interface MonitorControls {
  /** 0-100. */
  brightness: number | null;
  contrast: number | null;
  input: string | null;
  /** The inputs that it lists. */
  inputs: readonly string[] | null;
  power: 'on' | 'off' | null;
}

export type MonitorState =
  | { kind: 'read'; controls: MonitorControls }
  /** The first query is in progress. */
  | { kind: 'asking' }
  | { kind: 'denied'; file: string }
  /** i2c-dev is not loaded. */
  | { kind: 'absent'; file: string }
  | { kind: 'taken'; file: string }
  /** The kernel does not name its bus. */
  | { kind: 'no-bus' }
  /** It is off, and not queried. */
  | { kind: 'off' }
  /** It answered before, but does not now. */
  | { kind: 'resting' }
  /** It does not answer, and is not queried again until it is reconnected. */
  | { kind: 'silent' };

export type MonitorFeature = keyof typeof vcp;

/** Some monitors report a value above their maximum, or no maximum. */
const percentOf = (given: VcpValue | null): number | null =>
  given === null || given.max === 0 ? null : Math.round((100 * Math.min(given.value, given.max)) / given.max);

function powerOf(given: VcpValue | null): MonitorControls['power'] {
  const mode = (given?.value ?? 0) & 0xff;
  return mode === 0 || mode > 5 ? null : mode === monitorPower.on ? 'on' : 'off';
}

export function toControls(values: MonitorValues, description: string): MonitorControls {
  // Only the lower byte is defined.
  const input = (values.input?.value ?? 0) & 0xff;
  const listed = parseCapabilities(description).get(vcp.input) ?? [];
  const inputs = [...new Set([...listed, input])].filter((number) => number > 0).sort((a, b) => a - b);
  return {
    brightness: percentOf(values.brightness),
    contrast: percentOf(values.contrast),
    input: input === 0 ? null : inputName(input),
    inputs: input === 0 ? null : inputs.map(inputName),
    power: powerOf(values.power),
  };
}

/** The rule of the packages, from deploy/package. */
const udevRule = 'SUBSYSTEM=="i2c-dev", KERNEL=="i2c-[0-9]*", ATTRS{class}=="0x03*", TAG+="uaccess"';

/** Why a monitor does not answer, and how to fix it. */
export function whyNoReply(display: string, state: MonitorState): string {
  switch (state.kind) {
    case 'denied':
      return `The service may not use ${state.file}, over which ${display} is queried (DDC/CI). The packages of Hostler contain a udev rule for it, 60-hostler.rules; without them write ${udevRule} to /etc/udev/rules.d/60-hostler.rules and log in at the screen again`;
    case 'absent':
      return `${display} is queried over ${state.file}, which does not exist: load the kernel module i2c-dev ("modprobe i2c-dev" as root, or its name in /etc/modules-load.d/hostler.conf)`;
    case 'taken':
      return `A kernel driver uses ${state.file} to ${display} exclusively; with the module ddcci-backlight the monitor has a backlight instead`;
    case 'no-bus':
      return `The graphics driver does not report the I2C bus of ${display} (DDC/CI)`;
    case 'off':
      return `${display} is off, and is not queried until it is on`;
    case 'asking':
      return `${display} is being queried (DDC/CI)`;
    case 'resting':
      return `${display} does not answer over DDC/CI now, and is queried again in a few minutes`;
    case 'silent':
      return `${display} does not answer over DDC/CI; it may be disabled in the menu of the monitor. It is queried again when it is reconnected`;
    default:
      return `${display} does not have it`;
  }
}

export function controlsAfter(feature: MonitorFeature, raw: number, reply: MonitorReply): Partial<MonitorControls> {
  if (feature === 'input') return { input: inputName(raw) };
  const power = reply.kind === 'read' ? powerOf(reply.values.power) : null;
  return { power: power ?? (raw === monitorPower.on ? 'on' : 'off') };
}

/** Whether the feature has named values rather than a range. */
export const isChoice = (feature: MonitorFeature) => feature === 'input' || feature === 'power';

/** Whether it can be queried and controlled, as far as is known. */
export const isAskable = ({ kind }: MonitorState) => kind === 'read' || kind === 'asking' || kind === 'resting';

/** The value to send for a percentage or a choice. */
export function rawValue(
  feature: MonitorFeature,
  value: number,
  { max, description }: { max: number; description: string },
): number {
  if (feature === 'power' && value === monitorPower.off) {
    // Some monitors support only the off state of their power button.
    const known = parseCapabilities(description).get(vcp.power) ?? [];
    return !known.includes(value) && known.includes(monitorPower.offByButton) ? monitorPower.offByButton : value;
  }
  if (isChoice(feature)) return value;
  const raw = Math.round((Math.min(Math.max(value, 0), 100) * max) / 100);
  // Only 0 percent is the value 0, which may be black.
  return value > 0 ? Math.max(1, raw) : raw;
}
