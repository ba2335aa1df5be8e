import { expect, test } from 'bun:test';
import { withSlashes } from '../../test/doubles/fake-host.ts';
import { ownPage } from './own-page.ts';

test.each([
  ['/usr/bin/hostler', '/usr/share/doc/hostler/docs/tls.md', '/usr/share/doc/hostler/docs/tls.md'],
  ['/opt/zip/hostler.exe', '/opt/zip/docs/tls.md', '/opt/zip/docs/tls.md'],
  ['/clone/dist/hostler', '/clone/docs/tls.md', '/clone/docs/tls.md'],
  ['/usr/local/bin/hostler', '', 'the page tls of the documentation'],
])('%s names %j', (program, existing, sentence) => {
  expect(withSlashes(ownPage('tls', program, (file) => withSlashes(file) === existing))).toBe(sentence);
});

test('from source it is the page of the clone', () => {
  expect(withSlashes(ownPage('install'))).toEndWith('/docs/install.md');
});
