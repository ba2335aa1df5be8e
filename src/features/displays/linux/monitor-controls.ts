import { parseCapabilities } from '@hostler/ddc/capabilities.ts';
import type { VcpValue } from '@hostler/ddc/ddc.ts';
import { inputName, monitorPower, vcp } from '@hostler/ddc/vcp.ts';
import type { MonitorAnswer, MonitorValues } from './monitor-requests.ts';

/** What a monitor says of itself. null: it does not have it. */
export interface MonitorControls {
  /** 0-100. */
  brightness: number | null;
  contrast: number | null;
  input: string | null;
  /** Those it has, as far as it says so. */
  inputs: readonly string[] | null;
  power: 'on' | 'off' | null;
}

export type MonitorState =
  | { kind: 'read'; controls: MonitorControls }
  /** It is being asked for the first time. */
  | { kind: 'asking' }
  | { kind: 'denied'; file: string }
  /** i2c-dev is not there. */
  | { kind: 'absent'; file: string }
  | { kind: 'taken'; file: string }
  /** The kernel does not say over which bus it could be asked. */
  | { kind: 'no-bus' }
  /** It is off, and left alone. */
  | { kind: 'off' }
  /** It answered before, and does not now. */
  | { kind: 'resting' }
  /** It does not answer, and is not asked again until it is plugged in anew. */
  | { kind: 'silent' };

export type MonitorFeature = keyof typeof vcp;

/** Some say more than their own maximum, and some have none. */
const percentOf = (given: VcpValue | null): number | null =>
  given === null || given.max === 0 ? null : Math.round((100 * Math.min(given.value, given.max)) / given.max);

function powerOf(given: VcpValue | null): MonitorControls['power'] {
  const mode = (given?.value ?? 0) & 0xff;
  return mode === 0 || mode > 5 ? null : mode === monitorPower.on ? 'on' : 'off';
}

export function toControls(values: MonitorValues, description: string): MonitorControls {
  // Only the lower byte counts; some put anything into the other one.
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

/** The rule that our packages bring, as it stands in deploy/package. */
const udevRule = 'SUBSYSTEM=="i2c-dev", KERNEL=="i2c-[0-9]*", ATTRS{class}=="0x03*", TAG+="uaccess"';

/** Why a monitor tells nothing, and what to do about it. */
export function whyMute(display: string, state: MonitorState): string {
  switch (state.kind) {
    case 'denied':
      return `The service may not use ${state.file}, over which ${display} is asked (DDC/CI). The packages of Hostler bring a udev rule for it, 60-hostler.rules; without them write ${udevRule} to /etc/udev/rules.d/60-hostler.rules and log in at the screen anew`;
    case 'absent':
      return `${display} is asked over ${state.file}, which is not there: load the kernel module i2c-dev ("modprobe i2c-dev" as root, or its name in /etc/modules-load.d/hostler.conf)`;
    case 'taken':
      return `A driver of the kernel has ${state.file} to ${display} to itself; with the module ddcci-backlight the monitor has a backlight instead`;
    case 'no-bus':
      return `The graphics driver does not say over which I2C bus ${display} could be asked (DDC/CI)`;
    case 'off':
      return `${display} is off, and is not asked until it is on`;
    case 'asking':
      return `${display} is being asked (DDC/CI)`;
    case 'resting':
      return `${display} does not answer over DDC/CI now, and is asked again in a few minutes`;
    case 'silent':
      return `${display} does not answer over DDC/CI; it may be disabled in the menu of the monitor. It is asked again when it is plugged in anew`;
    default:
      return `${display} does not have it`;
  }
}

/** What is known of it after it was told so. */
export function asOrdered(feature: MonitorFeature, raw: number, answer: MonitorAnswer): Partial<MonitorControls> {
  if (feature === 'input') return { input: inputName(raw) };
  const told = answer.kind === 'read' ? powerOf(answer.values.power) : null;
  return { power: told ?? (raw === monitorPower.on ? 'on' : 'off') };
}

/** Of several things, rather than an amount. */
export const isChoice = (feature: MonitorFeature) => feature === 'input' || feature === 'power';

/** Whether it can be told something, as far as is known. */
export const isAskable = ({ kind }: MonitorState) => kind === 'read' || kind === 'asking' || kind === 'resting';

/** What a monitor is sent for a percentage, or for one of its choices. */
export function rawValue(
  feature: MonitorFeature,
  value: number,
  { max, description }: { max: number; description: string },
): number {
  if (feature === 'power' && value === monitorPower.off) {
    // Some know only the off of their own button.
    const known = parseCapabilities(description).get(vcp.power) ?? [];
    return !known.includes(value) && known.includes(monitorPower.offByButton) ? monitorPower.offByButton : value;
  }
  if (isChoice(feature)) return value;
  const raw = Math.round((Math.min(Math.max(value, 0), 100) * max) / 100);
  // Dark, as far as that is dark, only if 0 is asked for.
  return value > 0 ? Math.max(1, raw) : raw;
}
