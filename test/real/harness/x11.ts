import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { asUser } from './bus.ts';
import { endProcess } from './end-process.ts';
import { findProgram, needs } from './parts.ts';

/** A private X server, on an unused number. */
export interface PrivateX11 {
  /** As in DISPLAY; the same for every start. */
  display(): string;
  /** With additional arguments. */
  start(...args: string[]): Promise<void>;
  /** SIGKILL, as if it had crashed: its socket stays. */
  kill(): Promise<void>;
  /** An orderly end, as by a logout. */
  end(): Promise<void>;
  xrandr(...args: string[]): string;
  remove(): Promise<void>;
}

const xorg = '/usr/lib/xorg/Xorg';

/** Whether Xorg with its dummy driver can be started here; only root may, without a terminal. */
export function hasXorg(): boolean {
  if (!needs(xorg, 'xrandr')) return false;
  if (process.getuid?.() === 0) return true;
  console.warn('skipped: Xorg without a screen can be started by root only');
  return false;
}

/**
 * Servers that search a number take the lowest free one. A restarted server has to get the same number, and its leftovers
 * are removed by number: so this is one that no other server chooses.
 */
function freeNumber(): number {
  for (;;) {
    const number = randomInt(1000, 59_000);
    if (!fs.existsSync(`/tmp/.X11-unix/X${number}`) && !fs.existsSync(`/tmp/.X${number}-lock`)) return number;
  }
}

/** `Xvfb` has one output; `Xorg` with its dummy driver has many, which can be plugged in and out. Not started yet. `user`: runs it instead of ours. */
export function createPrivateX11(kind: 'Xvfb' | 'Xorg', user?: number): PrivateX11 {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-x11-'));
  const config = path.join(directory, 'xorg.conf');
  fs.writeFileSync(config, dummyConfiguration);
  const display = `:${freeNumber()}`;
  let server: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = null;
    await endProcess(ending, signal);
  };
  return {
    display: () => display,
    async start(...more) {
      ensureSocketDirectory();
      const common = ['-displayfd', '3', '-noreset', '-nolisten', 'tcp'];
      const dummy = ['-config', config, '-logfile', path.join(directory, 'log'), '-novtswitch', '-sharevts', 'vt7'];
      const args = kind === 'Xvfb' ? ['-screen', '0', '1920x1080x24'] : dummy;
      server = spawn(kind === 'Xvfb' ? (findProgram('Xvfb') ?? 'Xvfb') : xorg, [display, ...more, ...common, ...args], {
        ...asUser(user),
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      const reported = server.stdio[3];
      if (!reported) throw new Error('the X server cannot report its display number');
      await Promise.race([
        once(reported, 'data'),
        once(server, 'exit').then(() => Promise.reject(new Error(`${kind} did not start`))),
      ]);
    },
    kill: () => end('SIGKILL'),
    end: () => end('SIGTERM'),
    xrandr: (...args) =>
      execFileSync(findProgram('xrandr') ?? 'xrandr', args, {
        env: { PATH: process.env.PATH ?? '', DISPLAY: display },
        encoding: 'utf8',
        timeout: 30_000,
      }),
    async remove() {
      await end('SIGTERM');
      fs.rmSync(directory, { recursive: true, force: true });
      // The leftovers of a crashed server block its number.
      const number = display.slice(1);
      for (const left of [`/tmp/.X11-unix/X${number}`, `/tmp/.X${number}-lock`]) fs.rmSync(left, { force: true });
    },
  };
}

/** As on a booted system: it belongs to root. A server of another user would own it. */
function ensureSocketDirectory(): void {
  const directory = '/tmp/.X11-unix';
  if (process.getuid?.() !== 0 || fs.existsSync(directory)) return;
  fs.mkdirSync(directory);
  fs.chmodSync(directory, 0o1777);
}

const dummyConfiguration = `
Section "ServerFlags"
  Option "AutoAddDevices" "false"
  Option "AutoEnableDevices" "false"
  Option "DontVTSwitch" "true"
EndSection
Section "Device"
  Identifier "dummy"
  Driver "dummy"
  VideoRam 256000
EndSection
Section "Monitor"
  Identifier "monitor"
  HorizSync 5.0-1000.0
  VertRefresh 5.0-200.0
  Modeline "1920x1080" 148.50 1920 2008 2052 2200 1080 1084 1089 1125 +hsync +vsync
EndSection
Section "Screen"
  Identifier "screen"
  Device "dummy"
  Monitor "monitor"
  DefaultDepth 24
  SubSection "Display"
    Depth 24
    Modes "1920x1080"
    Virtual 3840 2160
  EndSubSection
EndSection
`;
