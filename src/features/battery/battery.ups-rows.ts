import type { Moment, RecordedSeries } from '../../core/readings/history.ts';
import { asGauge } from '../../core/readings/otlp.uses.ts';
import type { ModuleProblem } from '../../core/readings/problems.ts';
import { each, otlpFlag, type Row } from '../../core/readings/rows.ts';
import type { Battery, BatteryDevice } from './battery.schema.ts';

type Ups = BatteryDevice & { ups: NonNullable<BatteryDevice['ups']> };

const upsesOf = ({ devices }: Battery): Ups[] =>
  devices.flatMap((device) => (device.ups === undefined ? [] : [{ ...device, ups: device.ups }]));

const named = ({ device = '', name = '' }: Record<string, string>) => ({ 'hw.id': device, 'hw.name': name });

const rows: Row<Ups>[] = [
  {
    id: 'ups_{key}_state',
    name: '{title} state',
    help: 'What a UPS supplies its outlets from: 1 for the state it is in',
    value: ({ ups }) => ups.state,
    entity: { stateClass: null, icon: 'mdi:power-plug' },
    prometheus: { name: 'hostler_ups_state', oneOf: ['on_line', 'on_battery', 'bypass', 'off'] },
  },
  {
    id: 'ups_{key}_low_battery',
    name: '{title} battery low',
    help: 'Whether the battery of a UPS is nearly empty',
    value: ({ ups }) => ups.low_battery,
    entity: { component: 'binary_sensor', deviceClass: 'battery' },
    prometheus: 'hostler_ups_low_battery',
    otlp: otlpFlag('hostler.ups.low_battery', named),
  },
  {
    id: 'ups_{key}_replace_battery',
    name: '{title} battery worn out',
    help: 'Whether the battery of a UPS needs to be replaced',
    value: ({ ups }) => ups.replace_battery,
    entity: { component: 'binary_sensor', deviceClass: 'problem', isDiagnostic: true },
    prometheus: 'hostler_ups_replace_battery',
    otlp: otlpFlag('hostler.ups.replace_battery', named),
  },
  {
    id: 'ups_{key}_load',
    name: '{title} load',
    help: 'Load of a UPS, of its capacity',
    unit: 'percent',
    value: ({ ups }) => ups.load,
    entity: { icon: 'mdi:gauge' },
    prometheus: { name: 'hostler_ups_load_ratio', scale: 0.01 },
    otlp: asGauge('hostler.ups.load', '1', named),
  },
  {
    id: 'ups_{key}_time_left',
    name: '{title} time left',
    help: 'How long the battery of a UPS lasts with this load',
    unit: 'seconds',
    value: ({ ups }) => ups.time_remaining,
    entity: true,
    prometheus: 'hostler_ups_remaining_seconds',
    otlp: asGauge('hostler.ups.time_left', 's', named),
  },
  {
    id: 'ups_{key}_input_voltage',
    name: '{title} input voltage',
    help: 'Voltage of the mains at a UPS',
    unit: 'volts',
    value: ({ ups }) => ups.input_voltage,
    entity: { isDiagnostic: true },
    prometheus: 'hostler_ups_input_volts',
    otlp: asGauge('hostler.ups.input_voltage', 'V', named),
  },
];

export const upsRows = each(
  upsesOf,
  { label: ({ id, name }) => ({ device: id, name }), key: ({ id }) => id, title: ({ name }) => name },
  rows,
);

/** One of each for all UPSes of the machine, the worst: their names are not in the settings. */
export const upsSeries: Record<string, RecordedSeries> = {
  'ups.charge': { unit: 'percent', title: 'UPS battery', description: 'Lowest charge of the UPSes of battery.nut' },
  'ups.load': { unit: 'percent', title: 'UPS load', description: 'Highest load of the UPSes of battery.nut' },
};

export function recordUps(payload: Battery, moment: Pick<Moment, 'value'>): void {
  const upses = upsesOf(payload);
  const charges = upses.flatMap(({ percentage }) => percentage ?? []);
  const loads = upses.flatMap(({ ups }) => ups.load ?? []);
  if (charges.length > 0) moment.value('ups.charge', Math.min(...charges));
  if (loads.length > 0) moment.value('ups.load', Math.max(...loads));
}

const problem = (
  description: string,
  flagOf: (ups: Ups['ups']) => boolean | null,
  textOf: (name: string) => string,
): ModuleProblem<Battery> => ({
  description,
  lacks(payload) {
    const upses = upsesOf(payload);
    if (upses.length === 0) return 'no UPS is listed; battery.nut names the server of Network UPS Tools';
    return upses.every(({ ups }) => flagOf(ups) === null) ? 'the state of the UPS is unknown' : null;
  },
  find: (payload) =>
    upsesOf(payload).flatMap(({ name, ups }) => (flagOf(ups) === true ? [{ subject: name, text: textOf(name) }] : [])),
});

export const upsProblems = {
  ups_on_battery: problem(
    'A UPS supplies its outlets from its battery',
    ({ state }) => (state === null ? null : state === 'on_battery'),
    (name) => `The UPS ${name} is on battery`,
  ),
  ups_battery_low: problem(
    'The battery of a UPS is nearly empty',
    ({ low_battery }) => low_battery,
    (name) => `The battery of the UPS ${name} is nearly empty`,
  ),
  ups_battery_worn: problem(
    'The battery of a UPS needs to be replaced',
    ({ replace_battery }) => replace_battery,
    (name) => `The battery of the UPS ${name} needs to be replaced`,
  ),
};
