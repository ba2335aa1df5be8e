// tier: full
import { describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { needs } from '../harness/parts.ts';
import { root, serviceEnvironment, until } from '../harness/service.ts';

describe.skipIf(!needs('npm', 'node'))('npm', () => {
  test('start serves on SERVICE_PORT, and SIGTERM to npm ends the service with it', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-npm-'));
    const port = await freePort();
    const child = spawn('npm', ['start'], {
      cwd: root,
      env: serviceEnvironment(directory, { SERVICE_PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    const ended = new Promise((resolve) => child.once('close', resolve));
    const health = () =>
      fetch(`http://127.0.0.1:${port}/api/health`).then(
        ({ status }) => status,
        () => null,
      );
    expect(await until(health)).toBe(200);
    expect(output).toContain('"npm run -s hostler -- token" prints it');
    const { pid } = JSON.parse(fs.readFileSync(path.join(directory, 'state', 'service.json'), 'utf8')) as {
      pid: number;
    };
    // From source the runtime is bun.exe.
    expect(fs.readFileSync(`/proc/${pid}/comm`, 'utf8')).toBe('hostler\n');
    expect(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toStartWith('hostler\0');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await until(() => (fs.existsSync(`/proc/${pid}`) ? null : true));
    expect(await health()).toBeNull();
    fs.rmSync(directory, { recursive: true });
  });

  test('pack puts every workspace into the package, without tests and doubles', async () => {
    const child = spawn('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));
    const [packed] = JSON.parse(output) as [{ files: { path: string }[] }];
    const paths = packed.files.map((file) => file.path);
    // Messages name these pages.
    expect(paths).toContain('docs/install.md');
    const sources = fs
      .readdirSync(path.join(root, 'packages'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^[\w-]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/(?:testing|fixtures)\//.test(file));
    const bundled = paths.filter((file) => /^node_modules\/.*\.ts$/.test(file));
    expect(bundled.sort()).toEqual(sources.map((file) => `node_modules/@hostler/${file}`).sort());
    expect(paths.filter((file) => /\.test\.ts$|\/(?:testing|fixtures)\//.test(file))).toEqual([]);
  });

  test('run -s hostler -- token prints the token and nothing else', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-npm-'));
    const child = spawn('npm', ['run', '-s', 'hostler', '--', 'token'], {
      cwd: root,
      env: serviceEnvironment(directory, {}),
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(output).toBe(fs.readFileSync(path.join(directory, 'state', 'token'), 'utf8'));
    fs.rmSync(directory, { recursive: true });
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
