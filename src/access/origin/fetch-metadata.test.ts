import { expect, test } from 'bun:test';
import { refuseForeignSubresource } from './fetch-metadata.ts';

const isRefused = (site: string, mode: string, dest: string) => {
  try {
    refuseForeignSubresource(new Headers({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': dest }));
    return false;
  } catch {
    return true;
  }
};

test.each(['cross-site', 'same-site'])('what a page of another origin embeds is refused: %s', (site) => {
  expect(isRefused(site, 'no-cors', 'image')).toBe(true);
  expect(isRefused(site, 'no-cors', 'script')).toBe(true);
  expect(isRefused(site, 'no-cors', 'empty')).toBe(true);
  expect(isRefused(site, 'navigate', 'iframe')).toBe(true);
  expect(isRefused(site, 'navigate', 'object')).toBe(true);
});

test('links, requests with an Origin, our own pages and programs pass', () => {
  expect(isRefused('cross-site', 'navigate', 'document')).toBe(false);
  expect(isRefused('cross-site', 'cors', 'empty')).toBe(false);
  expect(isRefused('cross-site', 'websocket', 'empty')).toBe(false);
  expect(isRefused('same-origin', 'no-cors', 'image')).toBe(false);
  expect(isRefused('none', 'navigate', 'document')).toBe(false);
  expect(() => refuseForeignSubresource(new Headers())).not.toThrow();
});
