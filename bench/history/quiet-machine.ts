import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const processes = 100;

/**
 * A /proc of a machine that does nothing, whatever this one does: its processor time goes on, and all of it is idle. Its files are as long as those
 * of this machine, but the kernel need not make them up, which would take some 0.2 ms a sample more. Returns the way to stop.
 */
export function makeQuietMachine(directory: string): () => void {
  for (const name of [
    'loadavg',
    'meminfo',
    'diskstats',
    'self/mountinfo',
    'self/status',
    'self/auxv',
    'net/dev',
    'uptime',
  ])
    copy(directory, name);
  for (const name of ['cpu', 'memory', 'io']) copy(directory, `pressure/${name}`);
  const line = fs.readFileSync('/proc/self/stat', 'utf8');
  for (let pid = 1; pid <= processes; pid += 1) write(directory, `${pid}/stat`, line.replace(/^\d+/, String(pid)));
  const rest = fs.readFileSync('/proc/stat', 'utf8').replace(/^cpu.*\n/gm, '');
  const from = performance.now();
  const tick = () => {
    const idle = 1_000_000 + Math.floor((performance.now() - from) / 10);
    const cores = os.availableParallelism();
    const lines = Array.from({ length: cores }, (_, core) => `cpu${core} 1000 0 1000 ${idle} 0 0 0 0 0 0\n`);
    write(
      directory,
      'stat',
      `cpu  ${1000 * cores} 0 ${1000 * cores} ${idle * cores} 0 0 0 0 0 0\n${lines.join('')}${rest}`,
    );
  };
  tick();
  const timer = setInterval(tick, 1000);
  return () => clearInterval(timer);
}

const copy = (directory: string, name: string) => write(directory, name, readOrEmpty(`/proc/${name}`));

function write(directory: string, name: string, content: string | Buffer): void {
  fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
  fs.writeFileSync(path.join(directory, name), content);
}

function readOrEmpty(file: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
