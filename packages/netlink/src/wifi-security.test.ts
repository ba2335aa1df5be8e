import { describe, expect, test } from 'bun:test';
import { parseWifiSecurity } from './wifi-security.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const name = '0004 686f6d65 0108 82848b960c121824';
const privacy = 0x11;
/** An RSN element with these ways to agree on keys. */
const rsn = (keys: string[], capabilities = '0000') => {
  const value = `0100 000fac04 0100 000fac04 ${keys.length.toString(16).padStart(2, '0')}00 ${keys.map((key) => `000fac${key}`).join('')} ${capabilities}`;
  const length = bytes(value).length.toString(16).padStart(2, '0');
  return `${name} 30${length} ${value}`;
};
const wpa1 = (key: string) => `${name} dd16 0050f201 0100 0050f202 0100 0050f202 0100 0050f2${key}`;

test.each<[string, string, number, string]>([
  ['open', name, 0x01, 'open'],
  ['WEP', name, privacy, 'wep'],
  ['the first WPA', wpa1('02'), privacy, 'wpa-personal'],
  ['the first WPA with a server', wpa1('01'), privacy, 'wpa-enterprise'],
  ['both generations', `${wpa1('02')} ${rsn(['02'])}`, privacy, 'wpa2-personal'],
  ['a passphrase', rsn(['02']), privacy, 'wpa2-personal'],
  ['SAE', rsn(['08'], 'c000'), privacy, 'wpa3-personal'],
  ['a transition', rsn(['02', '06', '08']), privacy, 'wpa2-wpa3-personal'],
  ['a server', rsn(['01']), privacy, 'wpa2-enterprise'],
  ['a server, with protected frames', rsn(['05'], 'c000'), privacy, 'wpa3-enterprise'],
  ['suite B', rsn(['0c'], 'c000'), privacy, 'wpa3-enterprise'],
  ['OWE', rsn(['12'], 'c000'), privacy, 'owe'],
  ['an unknown future method', rsn(['63']), privacy, 'other'],
])('the security of a network is recognised: %s', (_name, elements, capability, security) => {
  expect(parseWifiSecurity(bytes(elements), capability)).toBe(security as never);
});

describe('an invalid beacon', () => {
  test('that is truncated anywhere does not throw', () => {
    const whole = bytes(`${wpa1('02')} ${rsn(['02', '08'])}`);
    for (let length = 0; length <= whole.length; length++)
      expect(typeof parseWifiSecurity(whole.subarray(0, length), privacy)).toBe('string');
  });

  test('that declares more entries than it has does not throw', () => {
    expect(parseWifiSecurity(bytes('3014 0100 000fac04 ffff 000fac04 ffff 000fac02 0000'), 0)).toBe('other' as never);
    expect(parseWifiSecurity(new Uint8Array(65_536).fill(0xff), 0)).toBe('open' as never);
  });
});
