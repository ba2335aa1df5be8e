import { expect, test } from 'bun:test';
import { channelNames, keyOf, withUniqueKeys } from './sensors.keys.ts';

test('keys are plain text, and unknown parts are left out', () => {
  expect(keyOf('coretemp', 'coretemp.0', 'Package id 0')).toBe('coretemp_coretemp.0_package_id_0');
  expect(keyOf('nvme', '0000:01:00.0', 'Composite')).toBe('nvme_0000:01:00.0_composite');
  expect(keyOf('acpitz', '', 'temp1')).toBe('acpitz_temp1');
  expect(keyOf('x', ' Left  side ', '+12V/µ')).toBe('x_left_side_12v');
});

test('a label names a channel unless another has the same', () => {
  const channel = (name: string, label: string) => ({ name, label });
  expect(
    channelNames([channel('temp1', 'CPU'), channel('temp2', ''), channel('temp3', 'Aux'), channel('temp4', 'Aux')]),
  ).toEqual(['CPU', 'temp2', 'Aux temp3', 'Aux temp4']);
});

test('sensors with equal names get different keys', () => {
  expect(withUniqueKeys([{ key: 'a' }, { key: 'b' }, { key: 'a' }, { key: 'a' }])).toEqual([
    { key: 'a' },
    { key: 'b' },
    { key: 'a_2' },
    { key: 'a_3' },
  ]);
});
