import { shownText } from '../../../lib/printable-text.ts';
import type { Files } from '../files.ts';

const directory = '/sys/class/power_supply';

/** The properties of each supply, by the names of its uevent without POWER_SUPPLY_. https://docs.kernel.org/power/power_supply_class.html */
function powerSupplies(files: Files): Map<string, string>[] {
  return files.list(directory).map((name) => parseUevent(files.text(`${directory}/${name}/uevent`) ?? ''));
}

/** The same, asynchronously: a battery may answer slowly. */
export async function powerSuppliesLater(files: Files): Promise<Map<string, string>[]> {
  const texts = files.list(directory).map((name) => files.textLater(`${directory}/${name}/uevent`));
  return (await Promise.all(texts)).map((text) => parseUevent(text ?? ''));
}

export const hasPowerSupplies = (files: Files): boolean => files.entries(directory).length > 0;

/** The battery of a peripheral, such as a mouse. */
export interface AttachedBattery {
  id: string;
  name: string;
  /** Kind by UPower's numbers; null: unknown. */
  kind: number | null;
  percentage: number | null;
  /** Where there is no percentage. */
  level: 'critical' | 'low' | 'normal' | 'high' | 'full' | null;
  isCharging: boolean | null;
}

/** Drivers do not limit the length of a line. */
const mostName = 80;
export const mostAttached = 64;

const levels: Record<string, AttachedBattery['level']> = {
  Critical: 'critical',
  Low: 'low',
  Normal: 'normal',
  High: 'high',
  Full: 'full',
};

/** Those of scope "Device". Headsets and other devices known to Bluetooth only are not included. */
export function attachedBatteries(supplies: Map<string, string>[]): AttachedBattery[] {
  const attached = supplies.filter((supply) => supply.get('TYPE') === 'Battery' && supply.get('SCOPE') === 'Device');
  return attached.slice(0, mostAttached).map((supply) => {
    const percentage = numberOf(supply, 'CAPACITY');
    const id = supply.get('NAME') ?? '';
    return {
      id: shownText(id, mostName),
      name: attachedName(supply.get('MANUFACTURER') ?? '', supply.get('MODEL_NAME') ?? '', id),
      kind: null,
      percentage,
      level: percentage === null ? (levels[supply.get('CAPACITY_LEVEL') ?? ''] ?? null) : null,
      isCharging: chargingOf(supply.get('STATUS')),
    };
  });
}

/** Many model names already begin with the vendor. */
export function attachedName(maker: string, model: string, id: string): string {
  const [first, second] = [maker.trim(), model.trim()];
  const both = second.toLowerCase().startsWith(first.toLowerCase()) ? second : `${first} ${second}`.trim();
  return shownText(both === '' ? id : both, mostName);
}

function chargingOf(status: string | undefined): boolean | null {
  if (status === undefined || status === 'Unknown') return null;
  return status === 'Charging';
}

/** Batteries of the machine; those of scope "Device" belong to peripherals. */
export const systemBatteries = (files: Files): Map<string, string>[] => powerSupplies(files).filter(isSystemBattery);

export function isSystemBattery(supply: Map<string, string>): boolean {
  return supply.get('TYPE') === 'Battery' && supply.get('SCOPE') !== 'Device';
}

export function parseUevent(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith('POWER_SUPPLY_') && line.includes('='));
  return new Map(
    lines.map((line) => [line.slice('POWER_SUPPLY_'.length, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Power of a battery, in watts; null: not reported. Drivers report power, or current and voltage, in millionths. */
export function batteryPower(battery: Map<string, string>): number | null {
  const power = millionths(battery, 'POWER_NOW');
  if (power !== null) return Math.abs(power);
  const current = millionths(battery, 'CURRENT_NOW');
  const voltage = millionths(battery, 'VOLTAGE_NOW');
  return current === null || voltage === null ? null : Math.abs(current * voltage);
}

/** All batteries of the machine combined; null: there is no battery. An empty bay does not count. */
export function batteryCharge(supplies: Map<string, string>[]): Charge | null {
  const batteries = supplies.filter((supply) => isSystemBattery(supply) && supply.get('PRESENT') !== '0');
  if (batteries.length === 0) return null;
  const state = stateOf(batteries) ?? (isUnplugged(supplies) ? 'discharging' : null);
  const energies = batteries.map(energyOf);
  const now = sum(energies.map((energy) => energy?.now ?? null));
  const full = sum(energies.map((energy) => energy?.full ?? null));
  const percentage = now === null || full === null ? meanLevel(batteries) : (100 * now) / full;
  return { state, percentage, seconds: secondsLeft(batteries, state, now, full) };
}

/** One battery is often idle while the other is used. */
function stateOf(batteries: Map<string, string>[]): Charge['state'] {
  const states = new Set(batteries.map((battery) => battery.get('STATUS')));
  if (states.has('Charging')) return 'charging';
  if (states.has('Discharging')) return 'discharging';
  return states.has('Full') || states.has('Not charging') ? 'idle' : null;
}

/** Whether the machine has external supplies, and none is connected. */
export function isUnplugged(supplies: Map<string, string>[]): boolean {
  const lines = supplies.filter((supply) => supply.get('TYPE') !== 'Battery' && supply.get('SCOPE') !== 'Device');
  return lines.length > 0 && lines.every((line) => line.get('ONLINE') === '0');
}

/** Watt hours, and watts. Charge-based drivers report ampere hours: their nominal voltage makes batteries comparable. */
function energyOf(battery: Map<string, string>): { now: number; full: number; rate: number | null } | null {
  const value = (...names: string[]) => names.map((name) => millionths(battery, name)).find((found) => found !== null);
  const energy = value('ENERGY_NOW', 'ENERGY_AVG');
  const energyFull = value('ENERGY_FULL', 'ENERGY_FULL_DESIGN');
  if (energy !== undefined && energyFull) return { now: energy, full: energyFull, rate: batteryPower(battery) };
  const charge = value('CHARGE_NOW', 'CHARGE_AVG');
  const chargeFull = value('CHARGE_FULL', 'CHARGE_FULL_DESIGN');
  if (charge === undefined || !chargeFull) return null;
  const volts = value('VOLTAGE_MIN_DESIGN', 'VOLTAGE_NOW') || 1;
  const current = value('CURRENT_NOW', 'CURRENT_AVG');
  const rate = current === undefined ? batteryPower(battery) : Math.abs(current) * volts;
  return { now: charge * volts, full: chargeFull * volts, rate };
}

function meanLevel(batteries: Map<string, string>[]): number | null {
  const total = sum(batteries.map((battery) => numberOf(battery, 'CAPACITY')));
  return total === null ? null : total / batteries.length;
}

/** Below this many watts the rate is not meaningful yet. */
const leastRate = 0.01;

function secondsLeft(
  batteries: Map<string, string>[],
  state: Charge['state'],
  now: number | null,
  full: number | null,
): number | null {
  if (state !== 'charging' && state !== 'discharging') return null;
  const rate = batteries.reduce((total, battery) => total + (energyOf(battery)?.rate ?? 0), 0);
  if (now !== null && full !== null && rate >= leastRate) {
    return (3600 * Math.max(0, state === 'charging' ? full - now : now)) / rate;
  }
  // The estimate of a battery is valid for that battery alone.
  const [only, ...others] = batteries;
  if (only === undefined || others.length > 0) return null;
  const goal = state === 'charging' ? 'TIME_TO_FULL' : 'TIME_TO_EMPTY';
  const seconds = numberOf(only, `${goal}_NOW`) ?? numberOf(only, `${goal}_AVG`);
  return seconds === null || seconds <= 0 ? null : seconds;
}

function sum(values: (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);
}

function millionths(supply: Map<string, string>, name: string): number | null {
  const value = numberOf(supply, name);
  return value === null ? null : value / 1e6;
}

function numberOf(supply: Map<string, string>, name: string): number | null {
  const text = supply.get(name);
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** The batteries of the machine combined. */
export interface Charge {
  /** `idle`: full, or held at its level; null: unknown. */
  state: 'charging' | 'discharging' | 'idle' | null;
  percentage: number | null;
  /** Until empty or full; null: unknown, or not applicable. */
  seconds: number | null;
}
