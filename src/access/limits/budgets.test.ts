import { expect, test } from 'bun:test';
import { networkOf } from './budgets.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['fd00:1:2:3:4:5:6:7', 'fd00:1:2:3'],
  ['fd00:1:2:3::7', 'fd00:1:2:3'],
  ['fd00::1:aaaa:bbbb:cccc:dddd', 'fd00:0:0:1'],
  ['fd00::2:aaaa:bbbb:cccc:dddd', 'fd00:0:0:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
