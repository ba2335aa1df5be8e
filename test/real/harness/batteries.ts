import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { createPrivateBus } from './bus.ts';
import { findProgram, needs } from './parts.ts';

type Supplies = Record<string, Record<string, string | number>>;

/** Batteries of umockdev, with the real upowerd on a private system bus. */
export interface PrivateBatteries {
  /** The replacement of /sys. */
  sys: string;
  /** Address of the system bus. */
  bus: string;
  /** Creates supplies, or changes some of their values, and announces it as the kernel does. */
  set(supplies: Supplies): Promise<void>;
  startDaemon(): Promise<void>;
  /** As if it had crashed. */
  killDaemon(): Promise<void>;
  remove(): Promise<void>;
}

const daemons = ['/usr/libexec/upowerd', '/usr/lib/upower/upowerd', '/usr/lib/upowerd'];
/** Debian's: another one on the PATH has no umockdev. */
export const python = '/usr/bin/python3';

export const hasBatteries = () =>
  needs('dbus-daemon', 'umockdev-wrapper', python, daemons.find((file) => fs.existsSync(file)) ?? 'upowerd');

export async function createPrivateBatteries(): Promise<PrivateBatteries> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-batteries-'));
  const bus = createPrivateBus();
  await bus.start();
  const daemon = daemons.find((file) => fs.existsSync(file)) ?? '';
  const script = path.join(import.meta.dirname, 'batteries.py');
  const child = spawn(findProgram('umockdev-wrapper') ?? '', [python, script, daemon], {
    env: {
      PATH: process.env.PATH ?? '',
      DBUS_SYSTEM_BUS_ADDRESS: bus.address,
      UPOWER_HISTORY_DIR: directory,
      TMPDIR: directory,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = answersOf(child);
  const root = await lines();
  const order = async (what: object) => {
    child.stdin?.write(`${JSON.stringify(what)}\n`);
    await lines();
  };
  return {
    sys: path.join(root, 'sys'),
    bus: bus.address,
    set: (supplies) => order({ set: supplies }),
    startDaemon: () => order({ start: 'upowerd' }),
    killDaemon: () => order({ stop: 'upowerd' }),
    async remove() {
      const exit = once(child, 'exit');
      child.stdin?.end();
      await exit;
      await bus.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

function answersOf(child: ChildProcess): () => Promise<string> {
  if (child.stdout === null) throw new Error('the output of the batteries is not readable');
  const iterator = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await iterator.next();
    if (done === true) throw new Error('the batteries ended; the lines above say why');
    return String(value);
  };
}
