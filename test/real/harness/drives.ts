import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { python } from './batteries.ts';
import { createPrivateBus } from './bus.ts';
import { findProgram, needs } from './parts.ts';

/** ATA drives of umockdev that answer with the pages of real ones, and the real udisksd on a private system bus. */
export interface PrivateDrives {
  /** Address of the system bus. */
  bus: string;
  startDaemon(): Promise<void>;
  /** As if it had crashed. */
  killDaemon(): Promise<void>;
  /** The replies of a drive from now on, with the pages of a fixture drive. */
  answer(name: string, drive: string, state?: { passed?: boolean; asleep?: boolean }): Promise<void>;
  /** Makes the daemon query a drive, as it does every ten minutes; returns its error. */
  update(name: string): Promise<string>;
  /** The ATA commands a drive received since the last call. */
  asked(name: string): Promise<string[]>;
  remove(): Promise<void>;
}

const daemons = ['/usr/libexec/udisks2/udisksd', '/usr/lib/udisks2/udisksd'];
const pages = path.join(import.meta.dirname, '../../../src/features/disks/fixtures/smart');

/** Uses the device numbers of this machine: nothing is ever read from them. */
const blockNumbers = () =>
  fs
    .readdirSync('/sys/class/block')
    .flatMap((name) => {
      const file = `/sys/class/block/${name}/dev`;
      return fs.existsSync(file) ? [fs.readFileSync(file, 'utf8').trim()] : [];
    })
    .slice(0, 2);

export function hasDrives(): boolean {
  if (process.getuid?.() !== 0) {
    console.log('drives of umockdev are not tested: only root can make block devices');
    return false;
  }
  if (!fs.existsSync('/sys/class/block') || blockNumbers().length < 2) {
    console.log('drives of umockdev are not tested: this machine has no two block devices');
    return false;
  }
  return needs('dbus-daemon', 'umockdev-wrapper', python, daemons.find((file) => fs.existsSync(file)) ?? 'udisksd');
}

export async function createPrivateDrives(names: string[]): Promise<PrivateDrives> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-drives-'));
  const bus = createPrivateBus();
  await bus.start();
  const daemon = daemons.find((file) => fs.existsSync(file)) ?? '';
  const script = path.join(import.meta.dirname, 'drives.py');
  const child = spawn(findProgram('umockdev-wrapper') ?? '', [python, script, daemon, ...blockNumbers()], {
    // umockdev does not remove everything that it creates.
    env: { PATH: process.env.PATH ?? '', DBUS_SYSTEM_BUS_ADDRESS: bus.address, TMPDIR: directory },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the drives ended; the lines above say why');
    return String(value);
  };
  const order = async (what: object) => {
    child.stdin.write(`${JSON.stringify(what)}\n`);
    return await line();
  };
  await line();
  return {
    bus: bus.address,
    startDaemon: async () => void (await order({ start: names })),
    killDaemon: async () => void (await order({ stop: true })),
    async answer(name, drive, { passed = true, asleep = false } = {}) {
      await order({ pages: { [name]: { file: path.join(pages, `${drive}.bin`), passed, asleep } } });
    },
    update: (name) => order({ update: name, nowakeup: true }),
    asked: async (name) => JSON.parse(await order({ asked: name })),
    async remove() {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
      await bus.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
