// tier: full
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasEngines, podmanLimits, startPodman } from '../harness/engines.ts';
import { root, until } from '../harness/service.ts';

setDefaultTimeout(600_000);

/**
 * Replaces the image of Debian, which would have to be downloaded: busybox, and the libraries of this machine that the program needs. (With a base
 * from mmdebstrap it was tested by hand.)
 */
function makeBase(directory: string): string {
  const tree = path.join(directory, 'base');
  fs.mkdirSync(path.join(tree, 'bin'), { recursive: true });
  fs.mkdirSync(path.join(tree, 'tmp'), { mode: 0o1777 });
  fs.copyFileSync('/bin/busybox', path.join(tree, 'bin', 'busybox'));
  fs.chmodSync(path.join(tree, 'bin', 'busybox'), 0o755);
  for (const name of ['sh', 'mkdir', 'chown', 'id', 'touch']) fs.symlinkSync('busybox', path.join(tree, 'bin', name));
  const { stdout } = spawnSync('ldd', [path.join(root, 'dist', 'hostler')], { encoding: 'utf8' });
  for (const [library] of stdout.matchAll(/\/\S+/g)) {
    const place = path.join(tree, library);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.copyFileSync(library, place);
    fs.chmodSync(place, 0o755);
  }
  const archive = path.join(directory, 'base.tar');
  const packed = spawnSync('tar', ['-C', tree, '-cf', archive, '.'], { encoding: 'utf8' });
  if (packed.status !== 0) throw new Error(packed.stderr);
  return archive;
}

const podman = hasEngines() ? await startPodman() : null;
afterAll(() => podman?.[Symbol.asyncDispose]());

describe.skipIf(podman === null)('the image of deploy/Containerfile', () => {
  test('shows the machine, runs as an unprivileged user, and keeps its state', async () => {
    if (podman === null) throw new Error('Podman does not run');
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-image-'));
    try {
      podman.cli('import', makeBase(directory), 'base:1');
      const context = path.join(directory, 'context');
      fs.mkdirSync(context);
      fs.copyFileSync(path.join(root, 'dist', 'hostler'), path.join(context, 'hostler'));
      podman.cli(
        'build',
        '--isolation',
        'chroot',
        '--layers=false',
        '--build-arg',
        'BASE=localhost/base:1',
        '-t',
        'hostler',
        '-f',
        path.join(root, 'deploy', 'Containerfile'),
        context,
      );
      const machine = ['-v', '/:/host:ro,rslave', '-v', 'kept:/var/lib/hostler'];
      const start = () => podman.cli('run', '-d', '--name', 'hostler', ...podmanLimits, ...machine, 'hostler');
      const inside = (...args: string[]) => podman.cli('exec', 'hostler', 'hostler', ...args);
      const answers = () =>
        until(() => {
          try {
            return inside('status', '--json');
          } catch {
            return null;
          }
        }, 120_000);
      start();
      expect(JSON.parse(await answers())).toMatchObject({ running: true });
      expect(podman.cli('exec', 'hostler', '/bin/id', '-u')).toBe('9170');
      expect(() => podman.cli('exec', 'hostler', '/bin/touch', '/host/tmp/not-ours')).toThrow();
      const { virtual } = JSON.parse(inside('data', 'memory', '--json'));
      const total = /^MemTotal: +(\d+) kB/m.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1];
      expect(virtual.total).toBe(Number(total) * 1024);
      const token = inside('token');
      // Its state outlives the container; it ends cleanly on request.
      podman.cli('stop', '-t', '60', 'hostler');
      expect(podman.cli('inspect', 'hostler', '--format', '{{.State.ExitCode}}')).toBe('0');
      podman.cli('rm', 'hostler');
      start();
      await answers();
      expect(inside('token')).toBe(token);
      podman.cli('rm', '-f', '-t', '5', 'hostler');
      // The program in another image, as docs/run-as-a-service.md has it.
      const kept = '/var/lib/hostler';
      const places = { HOSTLER_ROOT: '/host', HOME: kept };
      const stored = { SERVICE_STATE_DIR: `${kept}/state`, SERVICE_CONFIG_DIR: `${kept}/config` };
      const variables = Object.entries({ ...places, ...stored }).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
      const mounts = ['/:/host:ro,rslave', `other:${kept}:U`, `${root}/dist/hostler:/usr/local/bin/hostler:ro`];
      const options = [
        ...podmanLimits,
        '--user',
        '9170:9170',
        ...mounts.flatMap((mount) => ['-v', mount]),
        ...variables,
      ];
      podman.cli('run', '-d', '--name', 'hostler', ...options, 'base:1', 'hostler', 'serve');
      expect(JSON.parse(await answers())).toMatchObject({ running: true });
      expect(podman.cli('exec', 'hostler', '/bin/id', '-u')).toBe('9170');
      podman.cli('rm', '-f', '-t', '5', 'hostler');
    } finally {
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });
});
