import { expect, test } from 'bun:test';
import { ownPage } from './own-page.ts';

test.each([
  ['/usr/bin/hostler', '/usr/share/doc/hostler/docs/tls.md', '/usr/share/doc/hostler/docs/tls.md'],
  ['/opt/zip/hostler.exe', '/opt/zip/docs/tls.md', '/opt/zip/docs/tls.md'],
  ['/clone/dist/hostler', '/clone/docs/tls.md', '/clone/docs/tls.md'],
  ['/usr/local/bin/hostler', '', 'the page tls of the documentation'],
])('%s names %j', (program, existing, sentence) => {
  expect(ownPage('tls', program, (file) => file === existing)).toBe(sentence);
});

test('from source it is the page of the clone', () => {
  expect(ownPage('install')).toEndWith('/docs/install.md');
});
