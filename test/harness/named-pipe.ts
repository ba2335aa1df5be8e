import { spawnSync } from 'node:child_process';

/** A pipe with a name: whoever opens it to read waits for somebody who writes. */
export function makeNamedPipe(file: string): void {
  const { status, stderr } = spawnSync('mkfifo', [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mkfifo: ${stderr}`);
}
