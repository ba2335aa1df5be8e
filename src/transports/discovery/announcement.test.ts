import { describe, expect, test } from 'bun:test';
import { createBrowser } from '@hostler/mdns/browser.ts';
import { encodeMessage } from '@hostler/mdns/dns.encode.ts';
import { emptyMessage } from '@hostler/mdns/dns.ts';
import { recordsOf } from '@hostler/mdns/records.ts';
import { type AnnouncedIdentity, announcementOf, serviceTypes } from './announcement.ts';
import { toFoundServices } from './found-services.ts';

const identity: AnnouncedIdentity = {
  hostname: 'box',
  fqdn: 'box.example',
  uuid: 'f355e056-4603-8db2-b561-385a5c54a370',
  mac: '02:00:00:00:00:01',
  version: '6.0.0',
  securePort: null,
  plainPort: 9170,
  ip: '10.0.0.1',
  addresses: ['10.0.0.1', '2001:db8::1'],
  quiet: false,
};

/** What a browser finds once these identities are announced; the index is the attempt at a name. */
function found(...identities: AnnouncedIdentity[]) {
  const browser = createBrowser(serviceTypes, async () => {});
  for (const [index, each] of identities.entries()) {
    const { shared, unique } = recordsOf(announcementOf(each, index + 1));
    browser.receive(encodeMessage({ ...emptyMessage, isResponse: true, answers: [...shared, ...unique] }));
  }
  return toFoundServices(browser.found());
}

describe('an announcement', () => {
  test('contains the fields that clients need, and nothing else', () => {
    expect(announcementOf(identity, 1)).toEqual({
      instance: 'box',
      types: serviceTypes,
      host: ['box-hostler', 'local'],
      port: 9170,
      addresses: identity.addresses,
      pairs: {
        ip: '10.0.0.1',
        port: '9170',
        uuid: identity.uuid,
        host: 'box',
        fqdn: 'box.example',
        mac: '02:00:00:00:00:01',
        address: 'http://10.0.0.1:9170',
        version: '6.0.0',
      },
    });
  });

  test('numbers distinguish equal names', () => {
    expect(announcementOf(identity, 2)).toMatchObject({ instance: 'box (2)', host: ['box-hostler-2', 'local'] });
  });

  test('of a quiet machine contains only the address', () => {
    const quiet = { ...identity, quiet: true };
    expect(announcementOf(quiet, 1)).toEqual({
      instance: 'hostler',
      types: [['_hostler', '_tcp', 'local']],
      host: ['hostler', 'local'],
      port: 9170,
      addresses: ['10.0.0.1'],
      pairs: {},
    });
    expect(found(quiet, { ...quiet, ip: '10.0.0.2' })).toEqual([
      {
        name: 'hostler',
        address: 'http://10.0.0.1:9170',
        tls_address: '',
        version: '',
        uuid: '',
        host: 'hostler.local',
        types: ['_hostler._tcp'],
      },
      expect.objectContaining({ name: 'hostler (2)', address: 'http://10.0.0.2:9170' }),
    ]);
  });

  test.each([
    ['shed.example.org', 'shed'],
    ['ü'.repeat(64), 'ü'.repeat(31)],
  ])('makes one label of the hostname %s', (hostname, instance) => {
    expect(announcementOf({ ...identity, hostname }, 1).instance).toBe(instance);
    expect(found({ ...identity, hostname })).toMatchObject([{ name: instance }]);
  });
});

describe('a found service', () => {
  test('announced under both types is listed once', () => {
    expect(found(identity)).toEqual([
      {
        name: 'box',
        address: 'http://10.0.0.1:9170',
        tls_address: '',
        version: '6.0.0',
        uuid: identity.uuid,
        host: 'box',
        types: ['_hostler._tcp', '_system-bridge._tcp'],
      },
    ]);
  });

  test.each([
    [9170, false, 'http://10.0.0.1:9170', ['_hostler._tcp', '_system-bridge._tcp']],
    [null, false, 'https://10.0.0.1:9171', ['_hostler._tcp']],
    [null, true, 'https://10.0.0.1:9171', ['_hostler._tcp']],
  ])(
    'with TLS beside port %p (quiet: %p) has both addresses, and is hidden from clients without TLS where only TLS is served',
    (plainPort, quiet, address, types) => {
      expect(found({ ...identity, plainPort, securePort: 9171, quiet })).toEqual([
        expect.objectContaining({ address, tls_address: 'https://10.0.0.1:9171', types }),
      ]);
    },
  );

  test.each([
    ['an IP with more behind it', { ip: '10.0.0.66/ && reboot #', address: '' }, 'http://10.0.0.1:9170'],
    ['an address with more behind it', { address: 'http://10.0.0.7:9170/ && reboot #' }, 'http://10.0.0.7:9170'],
    ['an address of a file', { address: 'file:///etc/passwd' }, 'http://10.0.0.1:9170'],
    ['an address with a password', { address: 'https://a:b@desk.example:9171' }, 'https://desk.example:9171'],
  ])('with %s has only the address of a service', (_what, claims, address) => {
    const pairs = new Map(Object.entries({ tls_port: '9171', ...claims }));
    const service = {
      name: 'box',
      type: ['_hostler', '_tcp', 'local'],
      host: null,
      port: 9170,
      addresses: ['10.0.0.1'],
    };
    expect(toFoundServices([{ ...service, pairs }])).toMatchObject([{ address, tls_address: 'https://10.0.0.1:9171' }]);
  });

  test('of two machines with one name is listed twice', () => {
    const other = { ...identity, uuid: 'other', ip: '10.0.0.2', addresses: ['10.0.0.2'] };
    expect(found(identity, other)).toMatchObject([
      { name: 'box', uuid: identity.uuid },
      { name: 'box (2)', uuid: 'other' },
    ]);
  });
});
