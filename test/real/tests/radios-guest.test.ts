// tier: full
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  type NetworkInterface,
  type Networks,
  networksSchema,
} from '../../../src/features/networks/networks.schema.ts';
import { guestWithRadios, runGuest, whyNoGuest } from '../harness/guest.ts';

// Emulated, and beside other tests: the virtual machine waits for what it needs, and ends.
setDefaultTimeout(1_200_000);

const why = whyNoGuest(guestWithRadios);
if (why !== null) console.warn(`skipped: Wi-Fi, VPNs and wake-on-LAN in a virtual machine: ${why}`);

describe.skipIf(why !== null)('the network of a virtual machine with the radios of mac80211_hwsim', () => {
  let answers: Map<string, string>;

  beforeAll(async () => {
    answers = await runGuest(guestWithRadios);
  });

  const networksIn = (name: string): Pick<Networks, 'networks' | 'vpns'> =>
    networksSchema.pick({ networks: true, vpns: true }).parse(JSON.parse(answers.get(name) ?? ''));
  const linkIn = (name: string, link: string): NetworkInterface | undefined =>
    networksIn(name).networks.find((each) => each.name === link);
  const wifiIn = (name: string) => linkIn(name, 'wlan1')?.wifi;

  test('a radio without a connection is reported as such', () => {
    expect(wifiIn('alone')).toBeNull();
    expect(linkIn('alone', 'lo')).not.toHaveProperty('wifi');
  });

  test('a connection matches iw, and its name is harmless', () => {
    const theirs = answers.get('iw') ?? '';
    const number = (pattern: RegExp) => Number(pattern.exec(theirs)?.[1]);
    const wifi = wifiIn('wpa2');
    expect(wifi).toMatchObject({
      ssid: 'Café\ufffd[31m',
      frequency: number(/freq: (\d+)/),
      band: '2.4 GHz',
      channel: 6,
      security: 'wpa2-personal',
    });
    expect(number(/signal: (-\d+) dBm/)).toBeLessThan(0);
    // Each beacon is received again.
    expect(Math.abs((wifi?.signal ?? 0) - number(/signal: (-\d+) dBm/))).toBeLessThan(10);
    expect(wifi?.signal_percent).toBe(Math.max(0, Math.min(100, 2 * ((wifi?.signal ?? 0) + 100))));
    expect(wifi?.rate).toBeGreaterThan(0);
  });

  test('an ordinary user gets the same', () => {
    expect(wifiIn('ordinary')).toMatchObject({ ssid: 'Café\ufffd[31m', security: 'wpa2-personal' });
  });

  test('the security of a network is read from its beacon', () => {
    expect(wifiIn('wpa3')).toMatchObject({ security: 'wpa3-personal', channel: 11 });
    expect(wifiIn('open')).toMatchObject({ security: 'open', channel: 1 });
  });

  test('VPNs are distinguished from other interfaces', () => {
    const { networks, vpns } = networksIn('vpns');
    const kinds = Object.fromEntries(networks.map(({ name, kind }) => [name, kind]));
    expect(kinds).toMatchObject({ wg0: 'wireguard', xfrm0: 'xfrm', tun0: 'tun', tap0: 'tap', dummy0: 'dummy' });
    expect(vpns?.map(({ name, kind, up }) => [name, kind, up]).sort()).toEqual([
      ['tun0', 'tun', false],
      ['wg0', 'wireguard', true],
      ['xfrm0', 'ipsec', false],
    ]);
  });

  test('the wake settings of a card match ethtool', () => {
    const letters = { p: 'phy', u: 'unicast', m: 'multicast', b: 'broadcast', a: 'arp', g: 'magic', s: 'magic_secure' };
    const modesIn = (text: string, title: string) =>
      [...(new RegExp(`\\t${title}: (\\w+)`).exec(text)?.[1] ?? '')].flatMap((letter) =>
        Object.entries(letters).flatMap(([key, mode]) => (key === letter ? [mode] : [])),
      );
    const cards = [...answers.keys()].filter((name) => name.startsWith('eth'));
    expect(cards).toHaveLength(2);
    const supported = cards.map((name) => {
      const theirs = answers.get(name) ?? '';
      const modes = modesIn(theirs, 'Supports Wake-on');
      expect(linkIn('wake', name)?.wake_modes ?? { supported: [], active: [] }).toEqual({
        supported: modes as never,
        active: modesIn(theirs, 'Wake-on') as never,
      });
      return modes;
    });
    // At least one of them can, so that the comparison is not empty.
    expect(supported.flat()).toContain('magic');
  });

  test('an ordinary user may not query the driver', () => {
    expect(linkIn('ordinary', 'eth0')?.wake_modes).toBeNull();
  });
});
