import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createPrivateBus } from './bus.ts';
import type { PrivateNetwork } from './network.ts';
import { findProgram } from './parts.ts';
import { until } from './service.ts';

/** avahi-daemon in a private network, on a private bus. */
export interface PrivateAvahi {
  /** The services of a type that it finds now. */
  browse(type: string): Resolved[];
  /** Prints services as they come and go, a line each. */
  follow(type: string): { lines(): string[] };
  publish(name: string, type: string, port: number, texts: string[]): void;
  remove(): Promise<void>;
}

export interface Resolved {
  name: string;
  address: string;
  port: number;
  texts: Record<string, string>;
}

export async function startAvahi(network: PrivateNetwork): Promise<PrivateAvahi> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-avahi-'));
  const config = path.join(directory, 'avahi.conf');
  fs.writeFileSync(
    config,
    '[server]\nhost-name=avahi-peer\nuse-ipv6=no\nuse-iff-running=yes\n[publish]\npublish-workstation=no\n',
  );
  const bus = createPrivateBus();
  await bus.start();
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DBUS_SYSTEM_BUS_ADDRESS: bus.address, LC_ALL: 'C.UTF-8' };
  const started: ChildProcess[] = [];
  const launch = (command: string[]) => {
    const [program = '', ...args] = [...network.within, ...command];
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    started.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    return () => output;
  };
  // Its PID directory is a fixed path of the machine; each program in a network has private mounts.
  const daemon = `mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec ${findProgram('avahi-daemon')} -f ${config} --no-drop-root --no-chroot --no-rlimits`;
  const said = launch(['/bin/sh', '-c', daemon]);
  await until(() => (said().includes('Server startup complete') ? true : null));
  return {
    browse(type) {
      const [program = '', ...args] = [...network.within, 'avahi-browse', '-rtp', type];
      const { stdout } = spawnSync(program, args, { env, encoding: 'utf8', timeout: 20_000 });
      return stdout.split('\n').flatMap(parseResolved);
    },
    follow(type) {
      const output = launch(['avahi-browse', '-p', type]);
      return { lines: () => output().split('\n') };
    },
    publish: (name, type, port, texts) =>
      void launch(['avahi-publish', '-s', '--', name, type, String(port), ...texts]),
    async remove() {
      for (const child of started) child.kill('SIGKILL');
      await bus.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** =;interface;protocol;name;type;domain;host;address;port;"text" "text" */
function parseResolved(line: string): Resolved[] {
  const [mark, , , name = '', , , , address = '', port = '', ...rest] = line.split(';');
  if (mark !== '=') return [];
  const pairs = [...rest.join(';').matchAll(/"([^"=]*)=([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]);
  return [{ name: unescaped(name), address, port: Number(port), texts: Object.fromEntries(pairs) }];
}

const unescaped = (text: string) => text.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code)));
