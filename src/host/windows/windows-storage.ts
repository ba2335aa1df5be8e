import fs from 'node:fs';
import { createStorage, type Storage } from '../storage.ts';
import type { Advapi32 } from './native/advapi32.ts';
import type { Rights } from './native/rights.ts';
import { isTrustedAccount, otherUser, otherWriter } from './trusted-accounts.ts';

/** While another program has the file open, such as a scanner for viruses, Windows lets nobody replace it. */
const tryForMs = 1000;
const pauseMs = 20;

/**
 * Our files as everywhere, with what is different on Windows: replacing is tried again for a while, and a directory that we make
 * is for its owner and the system alone, whatever the one above it grants. `accounts` is there where one may have to be made, or lies
 * elsewhere than in the profile; the directory `secret` others may not even read.
 */
export function createWindowsStorage(accounts: Accounts | null, secret: string | null = null): Storage {
  const storage = createStorage(accounts === null ? () => null : rightsProblem(accounts, secret));
  return {
    ...storage,
    write: (file, text) => patiently(() => storage.write(file, text)),
    append: (file, line, maxBytes, heading) => patiently(() => storage.append(file, line, maxBytes, heading)),
    rename: (from, to) => patiently(() => storage.rename(from, to)),
    remove(file) {
      // Pipes go with whoever made them.
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
 * A place that somebody else owns, such as a directory that was there before us: they may give anybody rights to it. And one that others may
 * change, as everything that somebody makes in C:\\ unless they see to it. Our files have the rights of the directory they lie in.
 */
function rightsProblem(accounts: Accounts, secret: string | null): Storage['exposure'] {
  const own = accounts.ownSid();
  return (place) => {
    if (!fs.existsSync(place)) return null;
    const [owner, sddl] = [accounts.ownerSid(place), accounts.descriptor(place)];
    const take = `takeown /f "${place}" /r`;
    if (owner !== null && !isTrustedAccount(owner, own))
      return { problem: `it belongs to somebody else (${owner})`, mend: take };
    // What is ours we may look at.
    if (sddl === null)
      return {
        problem: 'Windows does not let this account see whose it is, so it belongs to somebody else',
        mend: take,
      };
    // The first takes away what others were given by name, the second what they have by the directory it is in.
    const mend = `icacls "${place}" /reset, then icacls "${place}" /inheritance:r /grant:r *${own}:(OI)(CI)F *S-1-5-18:(OI)(CI)F`;
    const writer = otherWriter(sddl, own);
    if (writer !== null) return { problem: `others (${writer}) may change it`, mend };
    const user = place === secret ? otherUser(sddl, own) : null;
    return user === null ? null : { problem: `others (${user}) may read it`, mend };
  };
}
