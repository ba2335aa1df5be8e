import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { hasPowerSupplies, powerSuppliesLater } from '../../../host/linux/hardware/power-supply.ts';

/** The driver's name, our suffix of node_power_supply_, and the divisor of its unit. */
const values = [
  ['ONLINE', 'online', 1, 'Whether it feeds the machine'],
  ['PRESENT', 'present', 1, 'Whether it is there'],
  ['CAPACITY', 'capacity', 1, 'Charge, 0-100'],
  ['CYCLE_COUNT', 'cyclecount', 1, 'Times it was charged'],
  ['CURRENT_NOW', 'current_ampere', 1e6, 'Current'],
  ['VOLTAGE_NOW', 'voltage_volt', 1e6, 'Voltage'],
  ['VOLTAGE_MIN_DESIGN', 'voltage_min_design', 1e6, 'Voltage it is made for at least'],
  ['POWER_NOW', 'power_watt', 1e6, 'Power'],
  ['ENERGY_NOW', 'energy_watthour', 1e6, 'Energy in it'],
  ['ENERGY_FULL', 'energy_full', 1e6, 'Energy in it when it is full, Wh'],
  ['ENERGY_FULL_DESIGN', 'energy_full_design', 1e6, 'Energy it is made for, Wh'],
  ['CHARGE_NOW', 'charge_ampere', 1e6, 'Charge in it, Ah'],
  ['CHARGE_FULL', 'charge_full', 1e6, 'Charge in it when it is full, Ah'],
  ['CHARGE_FULL_DESIGN', 'charge_full_design', 1e6, 'Charge it is made for, Ah'],
] as const;

/** Without the serial number, which stays with the machine. */
const facts = ['CAPACITY_LEVEL', 'HEALTH', 'MANUFACTURER', 'MODEL_NAME', 'SCOPE', 'STATUS', 'TECHNOLOGY', 'TYPE'];

/** Mains, batteries and those of attached devices, individually. */
export async function powerSupplyMetrics(files: Files): Promise<Metric[]> {
  if (!hasPowerSupplies(files)) return [];
  const supplies = await powerSuppliesLater(files);
  const nameOf = (supply: Map<string, string>) => supply.get('NAME') ?? '';
  const numbers = values.map(([field, name, unit, help]) =>
    gauge(
      `node_power_supply_${name}`,
      help,
      supplies.map((supply) => {
        const text = supply.get(field) ?? '';
        const value = text === '' ? Number.NaN : Number(text);
        return [{ power_supply: nameOf(supply) }, Number.isFinite(value) ? value / unit : null];
      }),
    ),
  );
  const described = supplies.map((supply) => {
    const known = facts.flatMap((fact) => {
      const text = supply.get(fact)?.trim() ?? '';
      return text === '' ? [] : [[fact.toLowerCase(), text] as const];
    });
    return [{ power_supply: nameOf(supply), ...Object.fromEntries(known) }, 1] as const;
  });
  return [...numbers, gauge('node_power_supply_info', 'What a power supply is', described)];
}
