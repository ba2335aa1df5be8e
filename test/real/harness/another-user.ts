import { type ChildProcess, spawn } from 'node:child_process';

/** Another user of this machine. Only root can act as two users. */
export const anotherUser = 65_534;

/** Whether a test can be another user; if not, the reason for the skip is printed. Where CI=true nothing may be skipped. */
export function canBeAnotherUser(): boolean {
  if (process.getuid?.() === 0) return true;
  if (process.env.CI === 'true') throw new Error('With CI=true these tests have to run as root, to be two users.');
  console.warn('skipped: only root can be two users');
  return false;
}

export interface AnotherUsersProgram {
  child: ChildProcess;
  output(): string;
  /** Resolves with everything it printed. */
  ended: Promise<string>;
}

/** A Python program of another user, without our groups and environment. */
export function asAnotherUser(python: string, args: string[] = [], user = anotherUser): AnotherUsersProgram {
  const child = spawn('/usr/bin/env', ['python3', '-c', python, ...args], {
    uid: user,
    gid: user,
    cwd: '/',
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<string>((resolve) => child.once('close', () => resolve(output)));
  return { child, output: () => output, ended };
}
