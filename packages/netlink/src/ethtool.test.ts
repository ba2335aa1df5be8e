import { expect, test } from 'bun:test';
import { parseWake } from './ethtool.ts';
import { viewOf } from './testing/fake-netlink.ts';

// ETHTOOL_MSG_WOL_GET_REPLY: the interface, bits of 8: magic in use, all but filter supported, and a password.
const reply = Uint8Array.from(
  Buffer.from(
    `09010000 14000180 08000100 07000000 08000200 65746830 1c000280 08000200 08000000 08000400 20000000 08000500 7f000000 0a000300 010203040506 0000`.replaceAll(
      ' ',
      '',
    ),
    'hex',
  ),
);

test('the supported and the enabled wake modes are read, and the password is skipped', () => {
  expect(parseWake(viewOf(reply), 0, reply.length)).toEqual({
    index: 7,
    supported: ['phy', 'unicast', 'multicast', 'broadcast', 'arp', 'magic', 'magic_secure'],
    active: ['magic'],
  });
});

test('truncated wake-mode messages do not throw', () => {
  for (let length = 0; length < reply.length; length++) {
    const { active } = parseWake(viewOf(reply), 0, length);
    expect(active.length).toBeLessThanOrEqual(1);
  }
});
