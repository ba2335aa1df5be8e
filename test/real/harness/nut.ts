import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { endProcess } from './end-process.ts';
import { freePort } from './free-port.ts';
import { needs } from './parts.ts';
import { until } from './service.ts';

// Debian's /usr/sbin/upsd is a script that reads /etc/nut/nut.conf.
const upsdProgram = '/lib/nut/upsd';
const driverProgram = '/lib/nut/dummy-ups';

export const hasNut = () => needs(upsdProgram, driverProgram);

export interface PrivateNut extends AsyncDisposable {
  address: string;
  /** Variables of the UPS from now on. */
  set(variables: Record<string, string>): void;
  /** `SIGSTOP` makes upsd hang. */
  signal(name: NodeJS.Signals): void;
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
}

/** A upsd of its own with one UPS, `desk`, of the driver dummy-ups. */
export async function startNut(variables: Record<string, string>): Promise<PrivateNut> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-nut-'));
  const port = await freePort();
  const write = (name: string, text: string) => {
    fs.writeFileSync(path.join(directory, `${name}.new`), text, { mode: 0o600 });
    fs.renameSync(path.join(directory, `${name}.new`), path.join(directory, name));
  };
  const set = (values: Record<string, string>) =>
    write(
      'desk.dev',
      Object.entries(values)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
    );
  set(variables);
  const driver = ['[desk]', 'driver = dummy-ups', `port = ${path.join(directory, 'desk.dev')}`, 'mode = dummy-once'];
  write('ups.conf', `statepath = ${directory}\npollinterval = 1\n${driver.join('\n')}\n`);
  write('upsd.conf', `LISTEN 127.0.0.1 ${port}\nSTATEPATH ${directory}\n`);
  write('upsd.users', '');
  const places = ['NUT_CONFPATH', 'NUT_STATEPATH', 'NUT_ALTPIDPATH', 'NUT_PIDPATH'];
  const env = Object.fromEntries(places.map((place) => [place, directory]));
  // As root they would become the user nut, who cannot read the directory.
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const start = (program: string, ...args: string[]) =>
    spawn(program, [...args, '-F', ...user], { env, stdio: 'ignore' });
  const dummy = start(driverProgram, '-a', 'desk');
  await until(() => (fs.existsSync(path.join(directory, 'dummy-ups-desk')) ? true : null));
  let server: ChildProcess | null = null;
  const startServer = async () => {
    server = start(upsdProgram);
    await until(async () => ((await answers(port)) ? true : null));
  };
  const stopServer = () => endProcess(server);
  await startServer();
  return {
    address: `127.0.0.1:${port}`,
    set,
    signal: (name) => void server?.kill(name),
    startServer,
    stopServer,
    async [Symbol.asyncDispose]() {
      await Promise.all([stopServer(), endProcess(dummy)]);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  });
