import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { until } from '../../../../test/harness/until.ts';
import { atOnce } from '../../../lib/slices.ts';
import { createMeters } from './cpu.meters.ts';

const intel = { name: null, vendor: 'GenuineIntel', family: null, virtual: false };
const hwmon = '/sys/class/hwmon';
const thermal = '/sys/class/thermal';

/** Chips by name, each with its channels: label (or null) and value. */
function chips(given: Record<string, Record<string, [label: string | null, value: number]>>): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(given).flatMap(([name, channels], index) => [
      { [`${hwmon}/hwmon${index}/name`]: `${name.replace(/#.*/, '')}\n` },
      ...Object.entries(channels).map(([channel, [label, value]]) => ({
        [`${hwmon}/hwmon${index}/${channel}_input`]: `${value}\n`,
        ...(label === null ? {} : { [`${hwmon}/hwmon${index}/${channel}_label`]: `${label}\n` }),
      })),
    ]),
  );
}

function read(contents: Record<string, string>, identity = intel) {
  const { reasons, collected } = collectReasons();
  const meters = atOnce(createMeters(fakeHost({ files: machineFiles(contents) }), identity));
  const values = { temperature: meters.temperature(reasons), voltage: meters.voltage(reasons) };
  meters.close();
  return { ...values, reasons: collected };
}

test.each<[string, Record<string, string>, number | null]>([
  [
    'the package, not its cores or other components',
    chips({
      acpitz: { temp1: [null, 90_000] },
      nvme: { temp1: ['Composite', 80_000] },
      coretemp: { temp1: ['Package id 0', 50_000], temp2: ['Core 0', 61_000] },
    }),
    50,
  ],
  [
    'the hotter of two packages',
    chips({
      'coretemp#0': { temp1: ['Package id 0', 50_000] },
      'coretemp#1': { temp1: ['Package id 1', 63_500] },
    }),
    63.5,
  ],
  [
    'the hottest core where no package has a sensor',
    chips({ coretemp: { temp2: ['Core 0', 41_000], temp3: ['Core 2', 44_000] } }),
    44,
  ],
  [
    'the die, which is below Tctl on some models',
    chips({ k10temp: { temp1: ['Tctl', 70_000], temp2: ['Tdie', 60_000], temp3: ['Tccd1', 75_000] } }),
    60,
  ],
  ['Tctl where there is no Tdie', chips({ k10temp: { temp1: ['Tctl', 47_125], temp3: ['Tccd1', 75_000] } }), 47.125],
  ['an old one without labels', chips({ k10temp: { temp1: [null, 33_000] } }), 33],
  ['zenpower', chips({ zenpower: { temp1: ['Tdie', 55_000], temp2: ['Tctl', 65_000] } }), 55],
  [
    'a board with one zone for its processor',
    chips({ gpu_thermal: { temp1: [null, 80_000] }, cpu_thermal: { temp1: [null, 48_300] } }),
    48.3,
  ],
  [
    'a phone with a zone for each core',
    chips({ cpu_0_0_thermal: { temp1: [null, 40_000] }, cpu_0_1_thermal: { temp1: [null, 43_000] } }),
    43,
  ],
  [
    'thermal zones where hwmon does not have them',
    {
      [`${thermal}/thermal_zone0/type`]: 'acpitz\n',
      [`${thermal}/thermal_zone0/temp`]: '27800\n',
      [`${thermal}/thermal_zone1/type`]: 'x86_pkg_temp\n',
      [`${thermal}/thermal_zone1/temp`]: '51000\n',
    },
    51,
  ],
  [
    'the CPU channel of the board, without a better one',
    chips({ thinkpad: { temp1: ['CPU', 52_000], temp2: ['GPU', 70_000] } }),
    52,
  ],
  [
    'no other component than the processor',
    chips({ acpitz: { temp1: [null, 90_000] }, iwlwifi_1: { temp1: [null, 40_000] } }),
    null,
  ],
])('temperature: %s', (_case, contents, expected) => {
  expect(read(contents).temperature).toBe(expected);
});

test.each<[string, Record<string, string>, number | null]>([
  ['by its label', chips({ nct6687: { in0: ['+12V', 12_096], in4: ['CPU Vcore', 1192] } }), 1.192],
  [
    'of a chip whose first input is the core voltage',
    chips({ nct6798: { in0: [null, 1072], in1: [null, 1000] } }),
    1.072,
  ],
  ['zenpower', chips({ zenpower: { in1: ['SVI2_Core', 1350], in2: ['SVI2_SoC', 1100] } }), 1.35],
  ['not that of a graphics card', chips({ amdgpu: { in0: ['vddgfx', 775] } }), null],
  ['not of an arbitrary chip', chips({ BAT0: { in0: [null, 12_000] }, it8688: { in0: [null, 1200] } }), null],
])('voltage: %s', (_case, contents, expected) => {
  expect(read(contents).voltage).toBe(expected);
});

test.each([
  [intel, true, 'modprobe coretemp'],
  [{ ...intel, vendor: 'AuthenticAMD' }, true, 'modprobe k10temp'],
  [{ ...intel, virtual: true }, false, 'virtual machines'],
  [{ ...intel, vendor: 'ARM' }, false, 'virtual machines'],
])('without a sensor, %j says what can be done', (identity, mendable, sentence) => {
  const reason = read({}, identity).reasons.find(({ field }) => field === 'temperature');
  expect(reason).toEqual({ field: 'temperature', mendable, reason: expect.stringContaining(sentence) });
});

test('a driver that is loaded later is found', async () => {
  const files = machineFiles({});
  const clock = fakeClock();
  const meters = atOnce(createMeters(fakeHost({ files, clock }), intel));
  const temperature = () => meters.temperature(collectReasons().reasons);
  expect(temperature()).toBeNull();
  for (const [file, text] of Object.entries(chips({ coretemp: { temp1: ['Package id 0', 40_000] } })))
    files.write(file, text);
  clock.advance(60_000);
  await until(() => temperature() === 40, 'it is found');
  meters.close();
});
