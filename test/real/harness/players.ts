import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createPrivateBus, type PrivateBus } from './bus.ts';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';

/** Real media players on a private session bus, with two titles to play. */
export interface PrivatePlayers {
  bus: PrivateBus;
  directory: string;
  /** Two minutes each, with all kinds of tags. */
  titles: [string, string];
  /** Environment of programs on that bus. */
  variables: Record<string, string>;
  mpv(...args: string[]): ChildProcess;
  /** It refuses to run as root, so root starts it as another user. */
  vlc(...args: string[]): ChildProcess;
  run(program: string, ...args: string[]): ChildProcess;
  /** An independent client of the same players; empty where it prints nothing. */
  playerctl(...args: string[]): string;
  stop(child: ChildProcess): Promise<void>;
  remove(): Promise<void>;
}

/** The bus is not started yet. */
export function createPrivatePlayers(): PrivatePlayers {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-players-'));
  fs.chmodSync(directory, 0o777);
  // The service uses no runtime directory that others may write to.
  const runtime = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-players-runtime-'));
  const bus = createPrivateBus({ forEverybody: true });
  const children: ChildProcess[] = [];
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    XDG_RUNTIME_DIR: runtime,
    DBUS_SESSION_BUS_ADDRESS: bus.address,
  };
  const run = (program: string, ...args: string[]) => {
    const child = spawn(findProgram(program) ?? program, args, { env: variables, cwd: directory, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : [];
  return {
    bus,
    directory,
    titles: [makeTitle(directory, 1), makeTitle(directory, 2)],
    variables,
    run,
    stop: (child) => endProcess(child),
    mpv: (...args) => run('mpv', '--no-video', '--ao=null', '--really-quiet', '--loop-playlist=inf', ...args),
    vlc(...args) {
      const vlc = ['cvlc', '--quiet', '--aout=dummy', '--no-video', '--control=dbus', '--loop', ...args];
      const [program = '', ...rest] = [...asNobody, ...vlc];
      return run(program, ...rest);
    },
    playerctl(...args) {
      try {
        return execFileSync(findProgram('playerctl') ?? 'playerctl', args, {
          env: variables,
          encoding: 'utf8',
          timeout: 10_000,
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
      } catch {
        return '';
      }
    },
    async remove() {
      for (const child of children.reverse()) await endProcess(child);
      await bus.remove();
      for (const made of [directory, runtime]) fs.rmSync(made, { recursive: true, force: true });
    },
  };
}

function makeTitle(directory: string, number: number): string {
  const wave = path.join(directory, `${number}.wav`);
  const file = path.join(directory, `${number}.flac`);
  const cover = path.join(directory, `${number}.png`);
  fs.writeFileSync(cover, Buffer.from(onePixel, 'base64'));
  const tone = ['-n', '-r', '8000', '-c', '1', '-b', '16', wave, 'synth', '120', 'sine', String(400 + number)];
  execFileSync(findProgram('sox') ?? 'sox', tone);
  const tags = {
    TITLE: `Tone ${number} "with 'quotes'`,
    ARTIST: 'Test Artist',
    ALBUM: 'Test Album',
    ALBUMARTIST: 'Various',
    TRACKNUMBER: `${number}`,
  };
  const given = Object.entries(tags).flatMap(([name, value]) => ['-T', `${name}=${value}`]);
  execFileSync(findProgram('flac') ?? 'flac', ['-s', '-f', ...given, `--picture=${cover}`, wave, '-o', file]);
  fs.rmSync(wave);
  return file;
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
