import fs from 'node:fs';
import path from 'node:path';
import { root } from './service.ts';

/** Test files run beside each other, and some make the same thing for all of them: the others wait until it is there. */
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

/** Whoever was killed cannot give it back. */
function isHeld(lock: string): boolean {
  try {
    const holder = fs.readFileSync(lock, 'utf8');
    // Between making the file and writing into it there is nothing in it.
    return holder === '' || fs.existsSync(`/proc/${holder}`);
  } catch {
    return false;
  }
}
