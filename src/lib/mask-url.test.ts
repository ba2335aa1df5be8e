import { expect, test } from 'bun:test';
import { isMaskedUrl, isMaskOf, maskUrl, maskUrlsIn } from './mask-url.ts';

test.each([
  ['https://hooks.example:8443/T0/secret?key=1#x', 'https://hooks.example:8443/…'],
  ['https://user:pass@host.example', 'https://host.example/…'],
  ['https://host.example/?key=1', 'https://host.example/…'],
  ['wss://broker.example/path', 'wss://broker.example/…'],
  ['not a URL with a secret', '…'],
])('the URL %s is shown as %s', (url, masked) => {
  expect(maskUrl(url)).toBe(masked);
  expect(isMaskOf(masked, url)).toBe(true);
  expect(isMaskOf(masked, 'https://other.example/x')).toBe(false);
});

test.each(['', 'https://host.example', 'http://localhost:4318/', 'mqtt://broker.example:1883'])(
  '%p has nothing to mask',
  (url) => {
    expect(maskUrl(url)).toBe(url);
    expect(isMaskedUrl(url)).toBe(false);
  },
);

test('a long text without URLs is searched in linear time', () => {
  const text = 'a.'.repeat(1_000_000);
  expect(maskUrlsIn(`${text} https://user:secret@example.org/path`)).toBe(`${text} https://example.org/…`);
});
