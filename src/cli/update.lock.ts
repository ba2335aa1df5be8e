import type { Host } from '../host/host.ts';
import { besideProgram, type ProgramFiles } from '../host/program-files.ts';
import { codeOf } from '../lib/errors.ts';

/** Only one process at a time replaces a program. */
export interface UpdateLock {
  /** Throws when somebody else has it meanwhile. */
  verify(): void;
  isOurs(): boolean;
  giveBack(): void;
}

interface LockParts {
  files: ProgramFiles;
  environment: Pick<Host['environment'], 'pid' | 'isRunning'>;
}

const mostTries = 5;

/** Making it and having it is one step. Only where there is one already is its holder looked at; what a process left that has ended is taken away. */
export function takeUpdateLock(program: string, parts: LockParts): UpdateLock {
  const { files, environment } = parts;
  const { lock } = besideProgram(program);
  const token = `${environment.pid} ${crypto.randomUUID()}`;
  const isOurs = () => files.read(lock) === token;
  for (let tries = 0; !isMade(files, lock, token); tries += 1) {
    if (tries === mostTries) throw new Error('Hostler is being updated already');
    takeAwayLeft(program, parts);
  }
  const verify = () => {
    if (!isOurs()) throw new Error('another process has begun to update Hostler');
  };
  return {
    isOurs,
    verify,
    giveBack() {
      if (isOurs()) files.remove(lock);
    },
  };
}

/** false: there is one already. */
function isMade(files: ProgramFiles, lock: string, token: string): boolean {
  let descriptor: number;
  try {
    descriptor = files.create(lock, 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    files.write(descriptor, new TextEncoder().encode(token));
  } catch (error) {
    files.close(descriptor);
    files.remove(lock);
    throw error;
  }
  files.close(descriptor);
  return true;
}

/** It is moved aside before it is removed: of two who do this at once, only one gets what both have looked at. */
function takeAwayLeft(program: string, { files, environment }: LockParts): void {
  const { lock, aside } = besideProgram(program);
  const refuseHeld = (text: string) => {
    const holder = Number.parseInt(text, 10);
    if (holder > 0 && environment.isRunning(holder))
      throw new Error(`Hostler is being updated already, by process ${holder}`);
  };
  const seen = files.read(lock);
  if (seen === null) return;
  refuseHeld(seen);
  const moved = aside(crypto.randomUUID());
  try {
    files.rename(lock, moved);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const got = files.read(moved);
  // Somebody was faster, and this is the new one: it goes back.
  if (got !== null && got !== seen) isMade(files, lock, got);
  files.remove(moved);
}
