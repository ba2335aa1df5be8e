import fs from 'node:fs';
import path from 'node:path';
import type { PrivateBox } from '../../test/real/harness/box.ts';
import { bootBox } from '../../test/real/harness/box.ts';
import { type BoxedService, builtInside, startBoxed, succeed } from '../../test/real/harness/boxed-service.ts';
import { type BoxedSession, furnishSession, startSession } from '../../test/real/harness/boxed-session.ts';
import { root, until } from '../../test/real/harness/service.ts';
import { pause, temporaryDirectory } from '../harness/harness.ts';
import { beside, compile } from '../harness/subject.ts';

/** A booted system with a user, whose service runs there and outlasts her sessions. */
export interface BootedMachine {
  service: BoxedService;
  /** Of the service, as this machine numbers it. */
  pid: number;
  logOut(): Promise<void>;
  logIn(): Promise<void>;
  restartSystemBus(): Promise<void>;
  restartSessionBus(): Promise<void>;
  /** To sleep by logind, an hour passes on the clock, and awake again. */
  sleepForAnHour(): Promise<void>;
  mountMany(count: number): Promise<void>;
  unmountMany(): Promise<void>;
  /** They end on `endSockets`. */
  openSockets(count: number): Promise<void>;
  endSockets(): Promise<void>;
  remove(): Promise<void>;
}

const socketsUnit = 'many-sockets';

export async function startMachine(): Promise<BootedMachine> {
  const directory = temporaryDirectory();
  const clock = path.join(directory, 'clock');
  const program = path.join(directory, 'hostler');
  fs.writeFileSync(clock, Buffer.alloc(8));
  // The one of dist may be built anew meanwhile.
  fs.copyFileSync(path.join(root, 'dist', 'hostler'), program);
  const box = await bootBox({
    binds: [
      [program, builtInside],
      [clock, '/opt/clock'],
      [compile('long-run/shifted-clock', '-shared', '-fPIC'), '/opt/shifted-clock.so'],
      [path.join(root, 'test', 'real', 'harness', 'sockets.py'), '/opt/sockets.py'],
      [beside('long-run/mounts.py'), '/opt/mounts.py'],
    ],
    prepare: furnishSession,
  });
  const session = await startSession(box);
  await succeed(box, ['loginctl', 'enable-linger', session.name]);
  const service = await startBoxed(box, session, {
    env: { LD_PRELOAD: '/opt/shifted-clock.so', SHIFTED_CLOCK: '/opt/clock', SERVICE_LOG_LEVEL: 'INFO' },
  });
  const pid = serviceIn(box);
  let hours = 0;
  return {
    service,
    pid,
    logOut: () => session.logOut(),
    logIn: () => session.logIn(),
    async restartSystemBus() {
      await succeed(box, ['systemctl', 'restart', 'dbus']);
      // It does not reconnect; packages restart it as well.
      await succeed(box, ['systemctl', 'restart', 'systemd-logind']);
    },
    restartSessionBus: () => restartSessionBus(session),
    async sleepForAnHour() {
      box.resetPowerState();
      await succeed(box, ['systemctl', 'suspend']);
      await until(() => (box.powerState() === 'mem' ? true : null));
      process.kill(pid, 'SIGSTOP');
      await pause(10_000);
      hours += 1;
      const shift = Buffer.alloc(8);
      shift.writeBigInt64LE(BigInt(hours * 3600));
      fs.writeFileSync(clock, shift, { flag: 'r+' });
      process.kill(pid, 'SIGCONT');
    },
    mountMany: (count) => succeed(box, ['python3', '/opt/mounts.py', 'mount', String(count)]).then(() => undefined),
    unmountMany: () => succeed(box, ['python3', '/opt/mounts.py', 'unmount']).then(() => undefined),
    async openSockets(count) {
      const pairs = String(Math.round(count / 2));
      const limit = '--property=LimitNOFILE=65536';
      await succeed(box, [
        'systemd-run',
        '--quiet',
        `--unit=${socketsUnit}`,
        limit,
        'python3',
        '/opt/sockets.py',
        pairs,
      ]);
    },
    async endSockets() {
      await box.run(['systemctl', 'stop', socketsUnit]);
      await box.run(['systemctl', 'reset-failed', socketsUnit]);
    },
    async remove() {
      service.close();
      await box.remove();
    },
  };
}

async function restartSessionBus(session: BoxedSession): Promise<void> {
  await session.run(['systemctl', '--user', 'restart', 'dbus']);
}

/** The process of the box that serves, in this machine's numbers. */
function serviceIn(box: PrivateBox): number {
  const [leader] = /^\/proc\/\d+/.exec(box.path('/')) ?? [''];
  const system = fs.readlinkSync(`${leader}/ns/pid`);
  for (const name of fs.readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const [first, second] = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const same = fs.readlinkSync(`/proc/${name}/ns/pid`) === system;
      if (same && first === builtInside && second === 'serve') return Number(name);
    } catch {
      // It ended meanwhile, or is none of ours.
    }
  }
  throw new Error('the service of the box was not found');
}
