import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const names = fs
  .readdirSync(path.join(root, 'packages'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory());

test('the examples in the READMEs of the packages compile', () => {
  // Below the root, so that the packages are found.
  const folder = fs.mkdtempSync(path.join(root, 'node_modules', '.examples-'));
  try {
    for (const { name } of names) {
      const readme = fs.readFileSync(path.join(root, 'packages', name, 'README.md'), 'utf8');
      const example = /^```ts\n(.*?)^```$/ms.exec(readme)?.[1];
      expect([name, example !== undefined]).toEqual([name, true]);
      fs.writeFileSync(path.join(folder, `${name}.ts`), example ?? '');
    }
    const config = {
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: {
        paths: { 'hostler-client': [path.join(root, 'packages', 'client', 'src', 'client.ts')] },
        typeRoots: [path.join(root, 'node_modules', '@types')],
      },
      include: [],
      files: names.map(({ name }) => `${name}.ts`),
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = path.join(root, 'node_modules', 'typescript', 'lib', 'tsc.js');
    const { stdout } = spawnSync('node', [tsc, '--noEmit', '-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}, 120_000);

test('the Python example prints no escape sequence of a process', async () => {
  if (Bun.which('python3') === null) return console.log('skipped: python3 is not installed');
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      Response.json(url.includes('memory') ? { virtual: { percent: 1 } } : [{ name: 'a\u001b[2Jb', cpu_usage: 2 }]),
  });
  const example = path.join(root, 'docs', 'examples', 'hostler.py');
  const { stdout } = Bun.spawn(['python3', example, `http://127.0.0.1:${server.port}`], { stdout: 'pipe' });
  expect(await new Response(stdout).text()).toBe("memory 1 %\n   2.0 %  'a\\x1b[2Jb'\n");
});
