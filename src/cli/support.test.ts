import { expect, test } from 'bun:test';
import { withoutSecrets } from './support.ts';

const token = 'a1'.repeat(20);

test.each([
  [`GET /hooks/${token}/x 404`, 'GET /hooks/(left out)/x 404'],
  [`the token ${token}.`, 'the token (left out).'],
  ['sent to https://hooks.example/T0/short, which failed', 'sent to https://hooks.example/…, which failed'],
  ['(see mqtts://user:pass@broker.example:8883)', '(see mqtts://broker.example:8883/…)'],
  [`wss://broker.example/?key=${token}`, 'wss://broker.example/…'],
])('%s', (line, expected) => {
  expect(withoutSecrets(line)).toBe(expected);
});

test.each([
  'listening on http://127.0.0.1:9170 and https://[::1]:9171/',
  'file:///home/ada/.config/hostler/settings.json',
  '/usr/lib/x86_64-linux-gnu/libsystemd-shared-252.so',
])('%s is unchanged', (line) => {
  expect(withoutSecrets(line)).toBe(line);
});
