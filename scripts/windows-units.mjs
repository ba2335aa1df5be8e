// The unit tests that run on Windows: all tests beside the code that are not for Linux. Those in test/ check the repository.
// As a program it prints their files, one a line: .github/workflows/test.yml.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './installed.mjs';

/** Linux only, by name: a folder or a suffix, and the protocols that only Linux uses. */
const linuxOnly = /(^|\/)linux\/|\.linux\.|^packages\/(dbus|x11|wayland|pulseaudio|netlink)\//;
/** What a file declares in its first line, or in the line after its tier. */
const notOnWindows = /^(?:\/\/ tier: full\r?\n)?\/\/ Not on Windows: (.+?)\r?\n/;

/** Files below the root, with the reason of each that is left out; null: it runs. */
export function windowsUnitFiles() {
  const inside = (folder) => readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
  return ['src', 'packages']
    .flatMap((folder) => inside(folder).map((name) => `${folder}/${name.replaceAll(path.sep, '/')}`))
    .filter((file) => file.endsWith('.test.ts') && !linuxOnly.test(file))
    .sort()
    .map((file) => ({ file, reason: notOnWindows.exec(readFileSync(path.join(root, file), 'utf8'))?.[1] ?? null }));
}

if (import.meta.filename === process.argv[1])
  for (const { file, reason } of windowsUnitFiles()) if (reason === null) process.stdout.write(`./${file}\n`);
