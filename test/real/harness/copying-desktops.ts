import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { findProgram } from './parts.ts';
import { type Compositor, createPrivateWayland } from './wayland.ts';
import { createPrivateX11 } from './x11.ts';

/** A desktop with a clipboard, and the programs that copy and paste there. */
export interface CopyingDesktop {
  start(): Promise<void>;
  kill(): Promise<void>;
  remove(): Promise<void>;
  env(): Record<string, string>;
  /** In the foreground, until something else is copied. */
  copy: (type: string | null) => string[];
  paste: (type: string | null) => string[];
}

/** An X server with xclip. */
export function onX11(): CopyingDesktop {
  const x11 = createPrivateX11('Xvfb');
  const words = (type: string | null) => ['-selection', 'clipboard', ...(type === null ? [] : ['-t', type])];
  return {
    start: () => x11.start(),
    kill: x11.kill,
    remove: x11.remove,
    env: () => ({ DISPLAY: x11.display() }),
    copy: (type) => ['xclip', '-quiet', '-in', ...words(type)],
    paste: (type) => ['xclip', '-out', ...words(type)],
  };
}

function onWayland(compositor: Compositor): CopyingDesktop {
  const wayland = createPrivateWayland(compositor);
  const words = (type: string | null) => (type === null ? [] : ['--type', type]);
  return {
    ...wayland,
    env: () => ({ WAYLAND_DISPLAY: wayland.socket() }),
    copy: (type) => ['wl-copy', '--foreground', ...words(type)],
    paste: (type) => ['wl-paste', '--no-newline', ...words(type)],
  };
}

/** Each with the programs it needs. */
export const copyingDesktops: [name: string, make: () => CopyingDesktop, programs: string[]][] = [
  ['Xvfb with xclip', onX11, ['Xvfb', 'xclip']],
  ['sway with wl-clipboard', () => onWayland('sway'), ['sway', 'wl-copy', 'wl-paste', 'dbus-daemon']],
  ['KWin with wl-clipboard', () => onWayland('kwin_wayland'), ['kwin_wayland', 'wl-copy', 'wl-paste', 'dbus-daemon']],
];

/** Programs on such a desktop, ended together. */
export function startCopying(desktop: () => CopyingDesktop) {
  const owners: ChildProcess[] = [];
  const copied: Buffer[] = [];
  const since = Date.now();
  const run = ([program = '', ...args]: string[]) =>
    spawn(findProgram(program) ?? program, args, {
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', XDG_RUNTIME_DIR: '/nonexistent', ...desktop().env() },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  return {
    /** Copies by another program; this may take a moment. */
    copy(content: string | Uint8Array, type: string | null): ChildProcess {
      const owner = run(desktop().copy(type));
      owners.push(owner);
      copied.push(Buffer.from(content));
      owner.stdin?.on('error', () => {});
      owner.stdin?.end(content);
      return owner;
    },
    async paste(type: string | null = null): Promise<Buffer> {
      const child = run(desktop().paste(type));
      const pieces: Buffer[] = [];
      child.stdout?.on('data', (piece) => pieces.push(piece));
      await once(child, 'close');
      return Buffer.concat(pieces);
    },
    end() {
      for (const owner of owners) {
        owner.kill('SIGCONT');
        owner.kill('SIGKILL');
      }
      removeBuffers(copied, since);
    },
  };
}

/**
 * wl-copy stores what it copies in a file until something else is copied, and leaves it when it is killed. The content identifies the
 * owner, so test files that run in parallel must copy different texts.
 */
function removeBuffers(copied: readonly Buffer[], since: number): void {
  for (const name of fs.readdirSync('/tmp').filter((each) => each.startsWith('wl-copy-buffer-'))) {
    const directory = path.join('/tmp', name);
    const file = path.join(directory, 'stdin');
    try {
      if (fs.statSync(directory).mtimeMs < since - 1000) continue;
      const kept = fs.readFileSync(file);
      // The whole content: an empty file, or one with the same beginning, may belong to the user of this machine.
      if (copied.some((content) => content.equals(kept))) fs.rmSync(directory, { recursive: true });
    } catch {
      // Another user's, or gone meanwhile.
    }
  }
}
