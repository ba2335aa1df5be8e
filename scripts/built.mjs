// Whether the output of `npm run build` is newer than all its sources.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './installed.mjs';

const made = [path.join('dist', 'hostler'), path.join('dist', 'client', 'client.js')];
const sources = ['src', 'packages', 'web', 'package.json', 'package-lock.json', path.join('scripts', 'build.mjs')];
/** Files between the sources that go into no program. */
const isOther = (name) => name.endsWith('.test.ts') || name === 'fixtures';

export function isBuilt(directory = root) {
  const times = made.map((file) => statSync(path.join(directory, file), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.min(...times) > Math.max(...sources.map((source) => newest(path.join(directory, source))));
}

/** The time of a folder counts as well: a file may have been removed from it. */
function newest(file) {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(file)
    .filter((name) => !isOther(name))
    .reduce((latest, name) => Math.max(latest, newest(path.join(file, name))), stat.mtimeMs);
}
