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
