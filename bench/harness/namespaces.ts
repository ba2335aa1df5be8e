import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { note } from './harness.ts';

/**
 * Starts this script again in its own namespaces of processes, links, sockets and mounts, which end with it. Returns there only.
 * Without root it stays in the current ones.
 */
export async function enterNamespaces(): Promise<void> {
  if (process.env.BENCH_INSIDE === '1') {
    demand('ip', ['link', 'set', 'lo', 'up']);
    // The one that is there shows the links of the network it was mounted in.
    demand('mount', ['-t', 'sysfs', 'sysfs', '/sys']);
    return;
  }
  if (process.getuid?.() !== 0) {
    note('not root: whatever else runs on this machine is counted as well.');
    return;
  }
  const flags = ['--net', '--pid', '--mount', '--propagation=private', '--mount-proc', '--kill-child=SIGTERM'];
  const child = spawn('unshare', [...flags, process.execPath, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, BENCH_INSIDE: '1' },
  });
  process.on('exit', () => child.kill('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exit(code ?? 1);
}

/** Runs a program to its end, which has to be a good one. */
export function demand(program: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
