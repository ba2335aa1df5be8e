import { expect, test } from 'bun:test';
import { basicPasswordOf, secretsOf, toHttpRequest } from './request.ts';

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  [basic('prometheus:secret'), ['secret']],
  [basic(':secret'), ['secret']],
  [basic('a:b:c'), ['b:c']],
  [basic('secret'), []],
  ['basic   czpz', ['s']],
  ['Basic', []],
  ['Basic !!!', []],
  ['Bearer secret', []],
])('of Authorization %p the password is %j', (authorization, passwords) => {
  expect(basicPasswordOf(new Headers({ authorization }))).toEqual(passwords);
});

test('a password is not a token on other routes', () => {
  const headers = new Headers({ authorization: basic('x:secret') });
  expect([...secretsOf({ apiToken: null, headers })]).not.toContain('secret');
});

test.each([
  ['Forwarded', true],
  ['X-Forwarded-For', true],
  ['x-forwarded-proto', true],
  ['X-Original-Forwarded-For', true],
  ['Via', true],
  ['X-Real-IP', true],
  ['X-Client-IP', true],
  ['X-Cluster-Client-IP', true],
  ['True-Client-IP', true],
  ['CF-Connecting-IP', true],
  ['Tailscale-User-Login', true],
  ['X-Envoy-External-Address', true],
  ['User-Agent', false],
  ['X-API-Token', false],
])('a request with %s came through a proxy: %p', (name, forwarded) => {
  const peer = { end: () => ({ address: '127.0.0.1', port: 1 }), isOurUser: async () => true, isEncrypted: false };
  const request = new Request('http://127.0.0.1/', { headers: { [name]: '192.0.2.7' } });
  expect(toHttpRequest(request, peer).connection().forwarded).toBe(forwarded);
});

test.each([
  ['evil.local:9170', 'evil.local'],
  ['desk', 'desk'],
  ['localhost.evil.lan', 'localhost.evil.lan'],
  ['localhost:9170', undefined],
  ['LOCALHOST', undefined],
  ['127.0.0.1:9170', undefined],
  ['[::1]:9170', undefined],
])('of Host %s the connection has the name %p', (host, name) => {
  const peer = { end: () => ({ address: '127.0.0.1', port: 1 }), isOurUser: async () => true, isEncrypted: false };
  const request = new Request('http://localhost/', { headers: { host } });
  expect(toHttpRequest(request, peer).connection().name).toBe(name as string);
});
