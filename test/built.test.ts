import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// By its path: a JavaScript file has no types.
const script = path.resolve(import.meta.dirname, '../scripts/built.mjs');
const { isBuilt } = (await import(script)) as { isBuilt(directory: string): boolean };

test('a build is current while it is newer than its sources; tests and fixtures do not count', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-built-'));
  const at = (seconds: number, ...files: string[]) => {
    for (const file of files) {
      const place = path.join(directory, file);
      fs.mkdirSync(path.dirname(place), { recursive: true });
      fs.writeFileSync(place, '');
      for (let each = place; each !== directory; each = path.dirname(each)) fs.utimesSync(each, seconds, seconds);
    }
  };
  try {
    const sources = [
      'src/a/a.ts',
      'packages/p/src/p.ts',
      'web/page.ts',
      'package.json',
      'package-lock.json',
      'scripts/build.mjs',
    ];
    at(1000, ...sources);
    expect(isBuilt(directory)).toBe(false);
    at(2000, 'dist/hostler');
    // The client is a part of it.
    expect(isBuilt(directory)).toBe(false);
    at(2000, 'dist/client/client.js');
    expect(isBuilt(directory)).toBe(true);
    for (const source of sources) {
      at(3000, source);
      expect(isBuilt(directory)).toBe(false);
      at(1000, ...sources);
    }
    const other = path.join(directory, 'src/a/a.test.ts');
    fs.writeFileSync(other, '');
    fs.utimesSync(path.dirname(other), 1000, 1000);
    expect(isBuilt(directory)).toBe(true);
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
});
