import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { type Backlight, backlightsOf, lampValue, percentOfLamp, readBacklights } from './backlight.ts';

const lamp = (name: string, connector: string | null): Backlight => ({ name, connector, max: 100, value: 50 });
const given = (lamps: Backlight[], ...displays: string[]) =>
  Object.fromEntries([...backlightsOf(lamps, displays)].map(([id, { name }]) => [id, name]));

test('a backlight belongs to its connector, or to the built-in display', () => {
  expect(given([lamp('intel', 'eDP-1')], 'DP-1', 'eDP-1')).toEqual({ 'eDP-1': 'intel' });
  expect(given([lamp('acpi', null), lamp('intel', 'eDP-1')], 'DP-1', 'eDP-1')).toEqual({ 'eDP-1': 'acpi' });
  expect(given([lamp('amd', 'eDP-1')], 'eDP')).toEqual({ eDP: 'amd' });
  expect(given([lamp('left', 'eDP-1'), lamp('right', 'eDP-2')], 'eDP-1', 'eDP-2')).toEqual({
    'eDP-1': 'left',
    'eDP-2': 'right',
  });
  // The lid is closed, and the panel is no display of the desktop.
  expect(given([lamp('intel', 'eDP-1'), lamp('acpi', null)], 'DP-1', 'HDMI-A-1')).toEqual({});
  expect(given([lamp('ddcci7', 'DP-1')], 'DP-1')).toEqual({ 'DP-1': 'ddcci7' });
});

test('only 0 percent is the value 0, however few steps there are', () => {
  expect([0, 1, 7, 40, 99, 100].map((percent) => lampValue(percent, 7))).toEqual([0, 1, 1, 3, 7, 7]);
  expect(lampValue(0.0001, 96_000)).toBe(1);
  expect(lampValue(1000, 255)).toBe(255);
  for (let percent = 0; percent <= 100; percent++)
    expect(percentOfLamp({ value: lampValue(percent, 19_200), max: 19_200 })).toBe(percent);
});

test('other files and invalid values are left out', () => {
  const place = '/sys/class/backlight';
  const files = machineFiles({
    [`${place}/none/type`]: 'raw\n',
    [`${place}/zero/type`]: 'raw\n',
    [`${place}/zero/max_brightness`]: '0\n',
    [`${place}/zero/brightness`]: '0\n',
    [`${place}/junk/type`]: 'raw\n',
    [`${place}/junk/max_brightness`]: '99999999999999999999\n',
    [`${place}/junk/brightness`]: '-3\n',
    [`${place}/odd\u202e/type`]: 'raw\n',
    [`${place}/odd\u202e/max_brightness`]: '10\n',
    [`${place}/odd\u202e/brightness`]: '5\n',
    [`${place}/more/type`]: 'platform\n',
    [`${place}/more/max_brightness`]: '10\n',
    [`${place}/more/brightness`]: '5\n',
    [`${place}/more/actual_brightness`]: '12\n',
  });
  expect(readBacklights(files)).toEqual([{ name: 'more', max: 10, value: 10, connector: null }]);
  expect(readBacklights(machineFiles({}))).toEqual([]);
});
