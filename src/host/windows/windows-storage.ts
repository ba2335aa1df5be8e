import fs from 'node:fs';
import { createStorage, type Storage } from '../storage.ts';
import type { Advapi32 } from './native/advapi32.ts';
import { isTrustedAccount } from './trusted-accounts.ts';

/** While another program has the file open, such as a scanner for viruses, Windows lets nobody replace it. */
const tryForMs = 1000;
const pauseMs = 20;

/**
 * Our files as everywhere, with what is different on Windows: replacing is tried again for a while, and a directory that we make
 * is for its owner and the system alone, whatever the one above it grants. `accounts` is there where one may have to be made.
 */
export function createWindowsStorage(accounts: Pick<Advapi32, 'ownSid' | 'protect' | 'ownerSid'> | null): Storage {
  const storage = createStorage(accounts === null ? () => null : ownerProblem(accounts));
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

/** A place that somebody else owns, such as a directory that was there before us: they may give anybody rights to it. */
function ownerProblem(accounts: Pick<Advapi32, 'ownSid' | 'ownerSid'>): Storage['exposure'] {
  const own = accounts.ownSid();
  return (place) => {
    const owner = fs.existsSync(place) ? accounts.ownerSid(place) : null;
    if (owner === null || isTrustedAccount(owner, own)) return null;
    return { problem: `it belongs to somebody else (${owner})`, mend: `takeown /f "${place}" /r` };
  };
}
