import { expect, test } from 'bun:test';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { shared } from '../scripts/package/contents.ts';
import { packedPage, windowsPages } from '../scripts/package/documents.ts';
import type { PackedEntry } from '../scripts/package/tree.ts';

const root = path.resolve(import.meta.dirname, '..');
const contents = { version: '1.0.0', time: 0, root, carried: [] };

test.each([
  ['Linux', shared(contents, '')],
  ['Windows', windowsPages(root)],
])('every link in the documents of the packages for %s leads to a file and a heading in them', (_, entries) => {
  const texts = new Map(entries.map(({ path: name, data }) => [name.replace(/\.gz$/, ''), textOf(name, data)]));
  const links = [...texts].flatMap(([name, text]) =>
    name.endsWith('.md') ? [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ name, target })) : [],
  );
  const dead = links.filter(({ name, target }) => {
    if (/^https?:/.test(target)) return false;
    const [page = '', heading] = target.split('#');
    const place = page === '' ? name : path.posix.join(path.posix.dirname(name), page);
    if (heading !== undefined) return !headingsOf(texts.get(place) ?? '').includes(heading);
    return ![...texts.keys()].some((each) => each === place || each.startsWith(`${place}/`));
  });
  expect(links.length).toBeGreaterThan(150);
  expect(dead).toEqual([]);
});

test('no documented command has a token in its arguments, which other users of a machine can read', () => {
  const texts = shared(contents, '').flatMap(({ path: name, data }) =>
    /\.md(?:\.gz)?$/.test(name) ? [textOf(name.replace(/\.gz$/, ''), data)] : [],
  );
  const commands = texts.flatMap((text) => text.match(/^\s*(?:\$ )?(?:curl|wget|wscat|websocat) .*$/gm) ?? []);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    commands.filter((command) => /(?:-H|--header)[ =]?["']?(?!@)\S*(?:token|authorization)/i.test(command)),
  ).toEqual([]);
  // Python sends every other header to the address of a redirect too.
  const scripts = texts.flatMap((text) => text.match(/^.*urllib.*\n(?:.*\n){4}/gm) ?? []);
  expect(scripts.filter((script) => !/add_unredirected_header/.test(script))).toEqual([]);
});

const textOf = (name: string, data: PackedEntry['data']) =>
  data === null ? '' : new TextDecoder().decode(name.endsWith('.gz') ? gunzipSync(data) : data);

/** As GitHub and most readers of Markdown name them. */
const headingsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('a link to what packages lack is its text, without a picture', () => {
  const page = packedPage(root, 'README.md');
  expect(page).toContain('(measurements)');
  expect(page).toContain('[install](docs/install.md)');
  expect(page).not.toContain('.png');
  expect(page).toContain('[decisions](docs/decisions/README.md)');
});
