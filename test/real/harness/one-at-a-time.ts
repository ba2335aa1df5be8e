import fs from 'node:fs';
import path from 'node:path';
import { root } from './service.ts';

/** Test files run in parallel, and some build the same artifact: one builds it, the others wait. */
export function oneAtATime<T>(what: string, make: () => T): T {
  const lock = path.join(root, '.cache', `${what}.lock`);
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  while (!take(lock)) Bun.sleepSync(200);
  try {
    return make();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(lock)) fs.rmSync(lock, { force: true });
    return false;
  }
}

/** A killed holder cannot release it. */
function isHeld(lock: string): boolean {
  try {
    const holder = fs.readFileSync(lock, 'utf8');
    // Between creating the file and writing to it, it is empty.
    return holder === '' || fs.existsSync(`/proc/${holder}`);
  } catch {
    return false;
  }
}
