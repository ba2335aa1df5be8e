import type { Files } from '../files.ts';

const directory = '/sys/class/power_supply';

/** What each supply says, by the names of its uevent without POWER_SUPPLY_. https://docs.kernel.org/power/power_supply_class.html */
export function powerSupplies(files: Files): Map<string, string>[] {
  return files.list(directory).map((name) => parseUevent(files.text(`${directory}/${name}/uevent`) ?? ''));
}

/** Batteries that feed the machine; those of scope "Device" feed a mouse or the like. */
export function systemBatteries(files: Files): Map<string, string>[] {
  return powerSupplies(files).filter((supply) => supply.get('TYPE') === 'Battery' && supply.get('SCOPE') !== 'Device');
}

export function parseUevent(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith('POWER_SUPPLY_') && line.includes('='));
  return new Map(
    lines.map((line) => [line.slice('POWER_SUPPLY_'.length, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Watts that flow out of or into a battery; null: it does not say. Drivers report power, or current and voltage, in millionths. */
export function batteryPower(battery: Map<string, string>): number | null {
  const number = (name: string) => {
    const value = Math.abs(Number(battery.get(name)));
    return Number.isFinite(value) ? value : null;
  };
  const power = number('POWER_NOW');
  if (power !== null) return power / 1e6;
  const current = number('CURRENT_NOW');
  const voltage = number('VOLTAGE_NOW');
  return current === null || voltage === null ? null : (current / 1e6) * (voltage / 1e6);
}
