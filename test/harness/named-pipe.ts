import { spawnSync } from 'node:child_process';

/** A named pipe: opening it to read waits for a writer. */
export function makeNamedPipe(file: string): void {
  const { status, stderr } = spawnSync('mkfifo', [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mkfifo: ${stderr}`);
}
