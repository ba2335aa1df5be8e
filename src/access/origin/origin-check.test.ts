import { describe, expect, test } from 'bun:test';
import { parseSearchDomains } from '../../host/linux/search-domains.ts';
import { checkHostAndOrigin, type KnownNames } from './origin-check.ts';

describe('web pages', () => {
  const known: KnownNames = {
    names: new Set(['localhost', '127.0.0.1', '::1', 'laptop', '192.0.2.7']),
    hostNames: ['laptop'],
    searchDomains: ['corp.example'],
    allowedHosts: ['pc.example.org', 'nas.example.org:9170', 'tv.example.org.'],
    allowedOrigins: ['https://dash.example.org'],
  };
  const check =
    (host: string | null, origin: string | null = null) =>
    () =>
      checkHostAndOrigin({ host, origin, port: 9170 }, known);

  test.each([
    '127.0.0.1:9170',
    '192.0.2.7:9170',
    '203.0.113.5',
    '[::1]:9170',
    '[fe80::1%eth0]:9170',
    'localhost:9170',
    'LAPTOP:9170',
    'laptop',
    'laptop.local',
    'laptop.local.:9170',
    'nas.lan',
    'x.home',
    'x.internal',
    'x.home.arpa',
    'x.localdomain',
    'x.fritz.box',
    'x.tail1234.ts.net',
    'laptop.corp.example',
    'PC.example.org:80',
    'nas.example.org',
    'tv.example.org:9170',
    'single-label',
  ])('the host %s belongs to this machine', (host) => {
    expect(check(host)).not.toThrow();
  });

  test.each([
    'evil.example',
    'laptop.evil.example',
    'other.corp.example',
    'localhost.corp.example',
    '127.0.0.1.corp.example',
    'x.laptop.corp.example',
    'local.evil.example',
    'a,b',
    'evil.example:9170',
    '',
    'a b',
    'user@laptop',
    'laptop/x',
    'evil.example?.local',
    'localhost#',
    'a%2eb.local',
    'localhost:99999',
    '[::1',
    'laptop:x',
    '127.0.0.1.evil.example',
    'ts.net.evil',
  ])('the host %j does not', (host) => {
    expect(check(host)).toThrow();
  });

  test('the refusal of a host names the setting that would allow it', () => {
    expect(check('evil.example')).toThrow('security.allowedHosts');
  });

  test.each([
    ['http://127.0.0.1:9170', '127.0.0.1:9170'],
    ['http://localhost:9170', 'localhost:9170'],
    ['http://[::1]:9170', '[::1]:9170'],
    ['http://laptop.local:9170', 'laptop.local:9170'],
    ['https://pc.example.org', 'pc.example.org'],
    ['https://dash.example.org', '127.0.0.1:9170'],
  ])('a page of %s may ask %s', (origin, host) => {
    expect(check(host, origin)).not.toThrow();
  });

  test.each([
    ['http://evil.example', '127.0.0.1:9170'],
    ['http://127.0.0.1:8080', '127.0.0.1:9170'],
    ['http://localhost', 'localhost:9170'],
    ['http://localhost:9170', '127.0.0.1:9170'],
    ['http://192.0.2.7:9170', '127.0.0.1:9170'],
    ['http://[::1]:9170', 'localhost:9170'],
    ['null', '127.0.0.1:9170'],
    ['https://127.0.0.1:9170', 'localhost:9170'],
    ['http://laptop.local', 'laptop.local:9170'],
    ['http://other.local:9170', 'laptop.local:9170'],
    ['http://127.0.0.1:9170, http://evil.example', '127.0.0.1:9170'],
    ['file://', 'localhost:9170'],
    ['', '127.0.0.1:9170'],
    ['http://127.0.0.1:9170/path', '127.0.0.1:9170'],
    ['chrome-extension://abc', '127.0.0.1:9170'],
  ])('a page of %j may not ask %s', (origin, host) => {
    expect(check(host, origin)).toThrow();
  });

  const checkSecure = (host: string, origin: string) => () =>
    checkHostAndOrigin({ host, origin, port: 9171, isSecure: true }, known);

  test.each([
    ['https://127.0.0.1:9171', '127.0.0.1:9171'],
    ['https://localhost:9171', 'localhost:9171'],
    ['https://laptop.local:9171', 'laptop.local:9171'],
    ['https://pc.example.org', 'pc.example.org'],
    ['https://dash.example.org', '127.0.0.1:9171'],
  ])('over TLS a page of %s may ask %s', (origin, host) => {
    expect(checkSecure(host, origin)).not.toThrow();
  });

  test.each([
    ['http://127.0.0.1:9171', '127.0.0.1:9171'],
    ['http://127.0.0.1:9170', '127.0.0.1:9171'],
    ['https://127.0.0.1:9170', '127.0.0.1:9171'],
    ['https://localhost', 'localhost:9171'],
    ['https://localhost:9171', '127.0.0.1:9171'],
    ['https://evil.example:9171', '127.0.0.1:9171'],
  ])('over TLS a page of %s may not ask %s', (origin, host) => {
    expect(checkSecure(host, origin)).toThrow();
  });

  test('a request without Host passes only without Origin', () => {
    expect(check(null)).not.toThrow();
    expect(check(null, 'http://evil.example')).toThrow();
  });

  test('the last search or domain line of resolv.conf counts', () => {
    expect(parseSearchDomains('domain a.example\nnameserver 1.1.1.1\nsearch Corp.Example. lab.example\n')).toEqual([
      'corp.example',
      'lab.example',
    ]);
    expect(parseSearchDomains('search .\n')).toEqual([]);
  });
});
