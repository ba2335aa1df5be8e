import { expect, test } from 'bun:test';
import type { FoundService } from './found-services.ts';
import { toTargetGroups } from './prometheus-targets.ts';

const found = (given: Partial<FoundService>): FoundService => ({
  name: 'pc',
  address: 'http://192.0.2.7:9170',
  tls_address: '',
  version: '6.0.0',
  uuid: 'u1',
  host: 'pc.local',
  types: ['_hostler._tcp'],
  ...given,
});

test('every service is a group with one target and its own labels', () => {
  expect(toTargetGroups([found({})])).toEqual([
    {
      targets: ['192.0.2.7:9170'],
      labels: {
        __scheme__: 'http',
        __meta_hostler_name: 'pc',
        __meta_hostler_host: 'pc.local',
        __meta_hostler_uuid: 'u1',
        __meta_hostler_version: '6.0.0',
      },
    },
  ]);
});

test.each([
  ['https://[2001:db8::1]:443', '[2001:db8::1]:443'],
  ['http://pc.example', 'pc.example:80'],
  ['http://192.0.2.7:9170/metrics?x=1', '192.0.2.7:9170'],
])('%s is scraped at %s', (address, target) => {
  expect(toTargetGroups([found({ address })]).flatMap(({ targets }) => targets)).toEqual([target]);
});

test.each(['', 'nonsense', 'file:///etc/passwd', 'http://user:secret@192.0.2.7:9170', 'javascript:alert(1)'])(
  'a service announced at "%s" is not a target',
  (address) => {
    expect(toTargetGroups([found({ address })])).toEqual([]);
  },
);

test('two names for one address are one target', () => {
  expect(toTargetGroups([found({}), found({ name: 'again', uuid: 'u2' })])).toHaveLength(1);
});
