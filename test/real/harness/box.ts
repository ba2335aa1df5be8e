import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, needs } from './parts.ts';
import { until } from './service.ts';

/**
 * A booted system, with systemd, logind and polkit, on a disposable copy of the root of this machine: nothing that happens in
 * there, up to a shutdown, affects anything else.
 */
export interface PrivateBox {
  /** Runs a program inside, to its end. It refuses to start outside this box. Long-running programs are started as units. */
  run(command: string[], options?: InsideOptions): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** A path of the box, as seen from outside. */
  path(inside: string): string;
  /** Programs that run in the network of the box only, and outlive it. */
  throughNetwork(command: string[]): string[];
  /** The power state written to its kernel: `mem` or `disk` after sleep. */
  powerState(): string;
  resetPowerState(): void;
  /** How it ended: 0 was switched off, 133 requested a restart; null: it still runs. */
  exitCode(): number | null;
  remove(): Promise<void>;
}

export interface InsideOptions {
  user?: { uid: number; gid: number };
  env?: Record<string, string>;
}

export interface BoxOptions {
  /** Whether /sys/power reports that it can sleep. */
  canSleep?: boolean;
  canHibernate?: boolean;
  /** Files of this machine that are visible inside, and their paths there. */
  binds?: [outside: string, inside: string][];
  /** Called before the start with a function that creates files inside. */
  prepare?(write: (file: string, text: string) => void): void;
}

const programs = [
  'systemd-nspawn',
  'nsenter',
  'unshare',
  'setpriv',
  'mount',
  'dbus-daemon',
  '/usr/lib/polkit-1/polkitd',
];

/** Whether boxes are available here, together with other programs a test needs; see `needs`. */
export function canBoot(...others: string[]): boolean {
  if (process.getuid?.() !== 0) {
    console.warn('skipped: a system can be booted by root only');
    return false;
  }
  if (!needs(...programs, ...others)) return false;
  const { status, stderr } = spawnSync(
    program('unshare'),
    ['--mount', '--propagation=private', program('mount'), '-t', 'tmpfs', 'hostler-probe', '/mnt'],
    { encoding: 'utf8' },
  );
  if (status === 0) return true;
  if (process.env.CI === 'true') throw new Error(`nothing can be mounted here, so no system can be booted: ${stderr}`);
  console.warn(`skipped: nothing can be mounted here, so no system can be booted: ${stderr}`);
  return false;
}

export async function bootBox({
  canSleep = true,
  canHibernate = true,
  binds = [],
  prepare,
}: BoxOptions = {}): Promise<PrivateBox> {
  const id = randomBytes(8).toString('hex');
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-box-'));
  const power = path.join(directory, 'power');
  const memory = path.join(directory, 'root');
  const log = path.join(directory, 'boot.log');
  for (const made of [power, memory]) fs.mkdirSync(made);
  const nspawn = spawn(program('setpriv'), [
    // It ends with the tests, however they end, and its mounts with it: no other process sees them.
    '--pdeathsig=KILL',
    program('unshare'),
    '--mount',
    '--propagation=private',
    '/bin/sh',
    '-c',
    layer,
    'layer',
    memory,
    log,
    program('systemd-nspawn'),
    `--directory=${memory}/machine`,
    `--machine=hostler-${id}`,
    '--boot',
    '--register=no',
    '--keep-unit',
    '--private-network',
    '--console=passive',
    '--quiet',
    ...binds.map(([outside, inside]) => `--bind-ro=${outside}:${inside}`),
    ...(canSleep ? [`--bind=${power}:/sys/power`] : []),
  ]);
  const ended = new Promise<void>((resolve) => nspawn.once('exit', () => resolve()));
  const failure = () => new Error(`the box did not start: ${problems}${bootLog(log)}`);
  let layered = false;
  let problems = '';
  nspawn.stdout.on('data', () => {
    layered = true;
  });
  nspawn.stderr.on('data', (chunk) => {
    problems += chunk;
  });
  await until(() => {
    if (nspawn.exitCode !== null) throw failure();
    return layered ? true : null;
  });

  const machine = path.join(`/proc/${nspawn.pid}/root`, memory, 'machine');
  const write = (file: string, text: string) => {
    fs.mkdirSync(path.join(machine, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(machine, file), text);
  };
  furnish(machine, write, id, canHibernate);
  prepare?.(write);
  const resetPowerState = () => {
    fs.writeFileSync(path.join(power, 'state'), canHibernate ? 'freeze mem disk\n' : 'freeze mem\n');
    fs.writeFileSync(path.join(power, 'disk'), canHibernate ? '[platform] shutdown\n' : '[disabled]\n');
    fs.writeFileSync(path.join(power, 'mem_sleep'), 's2idle [deep]\n');
  };
  resetPowerState();
  nspawn.stdin.end('go\n');
  const leader = await until(() => {
    if (nspawn.exitCode !== null) throw failure();
    return childOf(nspawn.pid ?? 0);
  });

  /** Its first process ends all others; without a parent it would run for ever. */
  const endBox = () => {
    if (nspawn.exitCode === null && nspawn.signalCode === null && fs.existsSync(`/proc/${leader}/ns`)) {
      refuseThisMachine(leader);
      process.kill(leader, 'SIGKILL');
    }
    nspawn.kill('SIGKILL');
  };
  process.on('exit', endBox);

  const inside = (command: string[], { user, env = {} }: InsideOptions = {}): string[] => {
    refuseThisMachine(leader);
    const become = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups', '--'] : [];
    const variables = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', ...env });
    const environment = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`)];
    return [
      program('nsenter'),
      `--target=${leader}`,
      '--all',
      '/bin/sh',
      '-c',
      guard,
      'guard',
      id,
      ...become,
      ...environment,
      ...command,
    ];
  };
  const box: PrivateBox = {
    async run(command, options) {
      const [first = '', ...rest] = inside(command, options);
      const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
      const output = { stdout: '', stderr: '' };
      child.stdout.on('data', (chunk) => {
        output.stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        output.stderr += chunk;
      });
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { code, ...output };
    },
    path: (file) => path.join(`/proc/${leader}/root`, file),
    throughNetwork: (command) => [program('nsenter'), `--target=${leader}`, '--net', ...command],
    powerState: () => fs.readFileSync(path.join(power, 'state'), 'utf8').trim(),
    resetPowerState,
    exitCode: () => nspawn.exitCode,
    async remove() {
      process.off('exit', endBox);
      endBox();
      await ended;
      // The kernel ends all its processes before the first one is gone.
      await until(() => (isGone(leader) ? true : null));
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await until(async () => {
      if (nspawn.exitCode !== null) throw failure();
      const { stdout } = await box.run(['systemctl', 'is-system-running']);
      return /^(running|degraded)/.test(stdout) ? true : null;
    });
  } catch (error) {
    await box.remove();
    throw error;
  }
  return box;
}

/** Executes the program only inside the intended box. */
const guard = '[ "$(cat /etc/hostler-box)" = "$1" ] || exit 97; shift; exec "$@"';

/** The namespaces of the box must be its own. Even if something is wrong here, nothing may reach the machine the tests run on. */
function refuseThisMachine(leader: number): void {
  for (const kind of ['pid', 'mnt', 'net', 'ipc']) {
    const namespaceOf = (process: number | 'self') => fs.readlinkSync(`/proc/${process}/ns/${kind}`);
    if (namespaceOf(leader) === namespaceOf('self'))
      throw new Error('this is not a private box: nothing is started in it');
  }
}

/** Changes go to memory, on top of the file system of this machine. Waits for a line before it boots. */
const layer = `set -e
mount -t tmpfs -o size=1g hostler-box "$1"
mkdir "$1/upper" "$1/work" "$1/machine"
mount -t overlay hostler-box -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/machine"
mount -t tmpfs hostler-run /run
mkdir -p /run/systemd/nspawn
echo layered
read -r go
log=$2
shift 2
exec "$@" < /dev/null > "$log" 2>&1`;

/** The units that this machine starts at boot are not started in the box. */
function furnish(machine: string, write: (file: string, text: string) => void, id: string, hibernates: boolean): void {
  for (const target of ['multi-user', 'timers', 'sockets', 'graphical', 'sysinit']) {
    fs.rmSync(path.join(machine, `etc/systemd/system/${target}.target.wants`), { recursive: true, force: true });
  }
  fs.rmSync(path.join(machine, 'usr/sbin/policy-rc.d'), { force: true });
  write('etc/fstab', '');
  // Without an id it would be a first boot, which enables everything again.
  write('etc/machine-id', `${randomBytes(16).toString('hex')}\n`);
  write('etc/hostler-box', id);
  write('etc/hostname', 'hostler-box\n');
  const bypass = '[Service]\nEnvironment=SYSTEMD_BYPASS_HIBERNATION_MEMORY_CHECK=1\n';
  if (!hibernates) return;
  write('etc/systemd/system/systemd-logind.service.d/hibernate.conf', bypass);
  // There is no swap for the memory, but the power state can be written.
  const hibernate = `${bypass}ExecStart=\nExecStart=/bin/sh -c "echo disk > /sys/power/state"\n`;
  write('etc/systemd/system/systemd-hibernate.service.d/hibernate.conf', hibernate);
}

function childOf(parent: number): number | null {
  const tasks = `/proc/${parent}/task/${parent}/children`;
  for (const child of fs.readFileSync(tasks, 'utf8').split(' ').filter(Boolean)) {
    try {
      if (fs.readFileSync(`/proc/${child}/comm`, 'utf8').trim() === 'systemd') return Number(child);
    } catch {
      // It has gone meanwhile.
    }
  }
  return null;
}

function bootLog(file: string): string {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').slice(-2000) : '';
}

const program = (name: string) => findProgram(name) ?? name;

function isGone(pid: number): boolean {
  try {
    return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
  } catch {
    return true;
  }
}
