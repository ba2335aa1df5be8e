import fs from 'node:fs';
import { createStorage, type Storage } from '../storage.ts';
import type { Advapi32 } from './native/advapi32.ts';
import type { Rights } from './native/rights.ts';
import { isTrustedAccount, otherUser, otherWriter } from './trusted-accounts.ts';

/** Windows does not replace a file that another program has open, such as a virus scanner. */
const tryForMs = 1000;
const pauseMs = 20;

/**
 * Our files as everywhere, with what is different on Windows: replacing is retried for a while, and a directory that we create
 * is for its owner and the system only, whatever its parent grants. `accounts` is given where one may have to be created, or is
 * outside of the profile; others may not even read the directory `secret`. Secrets that the user put elsewhere are rare: `load` opens the libraries then.
 */
export function createWindowsStorage(
  accounts: Accounts | null,
  secret: string | null,
  load: () => Promise<Accounts>,
): Storage {
  const storage = createStorage(accounts === null ? () => null : rightsProblem(accounts, secret));
  return {
    ...storage,
    secretExposure: async (file) => rightsProblem(await load(), file)(file),
    write: (file, text) => patiently(() => storage.write(file, text)),
    append: (file, line, maxBytes, heading) => patiently(() => storage.append(file, line, maxBytes, heading)),
    rename: (from, to) => patiently(() => storage.rename(from, to)),
    remove(file) {
      // Pipes end with their process.
      if (!file.startsWith('\\\\.\\pipe\\')) patiently(() => storage.remove(file));
    },
    prepareDirectory(directory) {
      const isNew = !fs.existsSync(directory);
      storage.prepareDirectory(directory);
      const sid = isNew ? (accounts?.ownSid() ?? null) : null;
      if (sid !== null) accounts?.protect(directory, `D:P(A;OICI;FA;;;${sid})(A;OICI;FA;;;SY)`);
    },
  };
}

const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);

export function patiently(work: () => void, waitMs = tryForMs): void {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!passing.has(code) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

export interface Accounts extends Pick<Advapi32, 'ownSid' | 'protect' | 'ownerSid'>, Pick<Rights, 'descriptor'> {}

/**
 * A path of another owner, such as an existing directory: the owner may grant rights to any account. And one that others may
 * change, as new directories in C:\\ by default. Our files inherit the permissions of their directory.
 */
function rightsProblem(accounts: Accounts, secret: string | null): Storage['exposure'] {
  const own = accounts.ownSid();
  return (place) => {
    if (!fs.existsSync(place)) return null;
    const [owner, sddl] = [accounts.ownerSid(place), accounts.descriptor(place)];
    const take = `takeown /f "${place}" /r`;
    if (owner !== null && !isTrustedAccount(owner, own))
      return { problem: `it belongs to another account (${owner})`, fix: take };
    // Our own files are always accessible.
    if (sddl === null)
      return {
        problem: 'Windows does not let this account see its owner, so it belongs to another account',
        fix: take,
      };
    // The first command removes explicit rights of others, the second inherited ones.
    const rights = fs.statSync(place).isDirectory() ? '(OI)(CI)F' : 'F';
    const fix = `icacls "${place}" /reset, then icacls "${place}" /inheritance:r /grant:r *${own}:${rights} *S-1-5-18:${rights}`;
    const writer = otherWriter(sddl, own);
    if (writer !== null) return { problem: `others (${writer}) may change it`, fix };
    const user = place === secret ? otherUser(sddl, own) : null;
    return user === null ? null : { problem: `others (${user}) may read it`, fix };
  };
}
