import type { Host } from '../../../host/host.ts';
import { cacheResult } from '../../../lib/cached-result.ts';
import { messageOf } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { BatteryDevice } from '../battery.schema.ts';
import { type ListedUps, readUpsd, type UpsdAddress } from './upsd.ts';

export type UpsDevice = BatteryDevice & { ups: NonNullable<BatteryDevice['ups']> };

export interface UpsAnswer {
  devices: UpsDevice[];
  /** Manufacturer's names of the models, for a UPS that the system lists as well; empty if upsd is on another machine. */
  models: string[];
  /** Why values are unknown, sentences with the remedy. */
  problems: string[];
}

/** A hanging upsd delays the other batteries by this time at most. */
const patience = { freshMs: 2000, waitMs: 800 };

/** The UPSes of one upsd. While it does not answer, those it had listed remain, with unknown values. */
export function createUpsReader({ connect, clock }: Pick<Host, 'connect' | 'clock'>, address: string) {
  const upsd = parseAddress(address);
  let listed: ListedUps[] = [];
  const ask = cacheResult(clock, patience, async (): Promise<UpsAnswer> => {
    try {
      listed = await readUpsd(connect, clock, upsd);
    } catch (error) {
      // Their names come from the variables.
      const silent = listed.map((ups) => ({ ...toUpsDevice(ups), ...unknown }));
      const problem = `upsd does not answer: ${messageOf(error)}. Start nut-server, or correct battery.nut`;
      return { devices: silent, models: [], problems: [problem] };
    }
    const problems = listed.flatMap(({ name, problem }) =>
      problem === null ? [] : [`upsd has no values of the UPS ${name} (${problem}). Check its driver with upsdrvctl`],
    );
    return { devices: listed.map(toUpsDevice), models: isThisMachine(upsd) ? listed.map(modelOf) : [], problems };
  });
  return {
    address,
    async read(): Promise<UpsAnswer> {
      return (
        (await ask()) ?? { devices: [], models: [], problems: ['upsd has not answered yet; the next reading follows'] }
      );
    },
  };
}

const defaultPort = 3493;

/** `127.0.0.1:3493`, `nas`, `[::1]:3493`. */
export function parseAddress(address: string): UpsdAddress {
  const [, host = '', port = defaultPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  return { host, port: Number(port) };
}

const isThisMachine = ({ host }: UpsdAddress) => /^(localhost|127\.[\d.]+|::1)$/.test(host);

const unknown = {
  percentage: null,
  is_charging: null,
  ups: {
    state: null,
    low_battery: null,
    replace_battery: null,
    load: null,
    time_remaining: null,
    input_voltage: null,
  },
};

const longestName = 80;
const textOf = ({ variables }: ListedUps, ...names: string[]) =>
  shownText(names.map((name) => variables.get(name)?.trim() ?? '').find((text) => text !== '') ?? '', longestName);
const modelOf = (ups: ListedUps) => textOf(ups, 'device.model', 'ups.model');

/** Variables: https://networkupstools.org/docs/developer-guide.chunked/apas02.html */
export function toUpsDevice(listed: ListedUps): UpsDevice {
  const { name, description, variables, problem } = listed;
  const given = description === 'Description unavailable' ? '' : shownText(description.trim(), longestName);
  const made = `${textOf(listed, 'device.mfr', 'ups.mfr')} ${modelOf(listed)}`.trim();
  const device = { id: `nut_${name}`, name: given || made || name, kind: 'ups' as const, level: null };
  const flags = variables.get('ups.status')?.split(/\s+/) ?? null;
  if (problem !== null || flags === null) return { ...device, ...unknown };
  const number = (variable: string) => {
    const text = variables.get(variable) ?? '';
    return /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
  };
  const charge = number('battery.charge');
  return {
    ...device,
    percentage: charge === null ? null : Math.min(100, Math.round(charge)),
    is_charging: isCharging(flags, charge),
    ups: {
      state: stateOf(flags),
      // A forced shutdown follows a low battery.
      low_battery: flags.includes('LB') || flags.includes('FSD'),
      replace_battery: flags.includes('RB'),
      load: number('ups.load'),
      time_remaining: number('battery.runtime'),
      input_voltage: number('input.voltage'),
    },
  };
}

function stateOf(flags: readonly string[]): UpsDevice['ups']['state'] {
  if (flags.includes('OFF')) return 'off';
  if (flags.includes('BYPASS')) return 'bypass';
  if (flags.includes('OB')) return 'on_battery';
  return flags.includes('OL') ? 'on_line' : null;
}

function isCharging(flags: readonly string[], charge: number | null): boolean | null {
  if (flags.includes('CHRG')) return true;
  return flags.includes('DISCHRG') || flags.includes('OB') || (charge ?? 0) >= 100 ? false : null;
}
