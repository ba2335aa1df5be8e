import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';
import { until } from './service.ts';
import { openVirtualPointer, type VirtualPointer } from './virtual-pointer.ts';
import { createPrivateWayland } from './wayland.ts';

/** A common bar for sway, with only a tray at the upper right of the first display. */
export interface PrivateWaybar {
  /** For a service of this session. */
  variables: Record<string, string>;
  pointer: VirtualPointer;
  /** The centre of the only icon. */
  icon: { x: number; y: number };
  start(): Promise<void>;
  kill(): Promise<void>;
  picture(): Picture;
  /** A part of the first display as a PNG. */
  photograph(file: string, area: string): void;
  remove(): Promise<void>;
}

/** The pixels of the first display; each as a number. */
export interface Picture {
  width: number;
  height: number;
  at(x: number, y: number): number;
}

const [width, height, barHeight, iconSize] = [1920, 1080, 32, 22];

export async function createPrivateWaybar(): Promise<PrivateWaybar> {
  const wayland = createPrivateWayland('sway');
  await wayland.start();
  const directory = wayland.variables.XDG_RUNTIME_DIR ?? '';
  const socket = fs.readdirSync(directory).find((name) => /^wayland-\d+$/.test(name)) ?? '';
  const env = { ...wayland.variables, WAYLAND_DISPLAY: socket, GDK_BACKEND: 'wayland', NO_AT_BRIDGE: '1' };
  const place = (name: string) => path.join(directory, name);
  const tray = { 'icon-size': iconSize, spacing: 8 };
  const bar = {
    output: 'HEADLESS-1',
    layer: 'top',
    position: 'top',
    height: barHeight,
    'modules-right': ['tray'],
    tray,
  };
  fs.writeFileSync(place('waybar.json'), JSON.stringify(bar));
  fs.writeFileSync(place('waybar.css'), '* { font-size: 14px; }');
  const command = (program: string, ...args: string[]): [string, string[]] => [findProgram(program) ?? program, args];
  let child: ChildProcess | null = null;
  const kill = async () => {
    const ending = child;
    child = null;
    await endProcess(ending);
  };
  const grim = (...args: string[]) => execFileSync(...command('grim', ...args), { env, timeout: 60_000 });
  // The second display is to the right of the first, and lower.
  const pointer = await openVirtualPointer(place(socket), { width: width + 1280, height });
  return {
    variables: { ...wayland.variables, WAYLAND_DISPLAY: socket },
    pointer,
    icon: { x: width - iconSize / 2 - 1, y: barHeight / 2 },
    async start() {
      child = spawn(...command('waybar', '-c', place('waybar.json'), '-s', place('waybar.css')), {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (said += text));
      const started = child;
      await until(() => {
        if (started.exitCode !== null) throw new Error(`waybar ended with ${started.exitCode}: ${said}`);
        return said.includes('Bar configured') ? true : null;
      });
    },
    kill,
    picture() {
      grim('-t', 'ppm', '-o', 'HEADLESS-1', place('picture.ppm'));
      return parsePicture(fs.readFileSync(place('picture.ppm')));
    },
    photograph(file, area) {
      grim('-g', area, place('picture.png'));
      fs.copyFileSync(place('picture.png'), file);
    },
    async remove() {
      pointer.close();
      await kill();
      await wayland.remove();
    },
  };
}

/** https://netpbm.sourceforge.net/doc/ppm.html, as grim writes it. */
function parsePicture(bytes: Buffer): Picture {
  const [head = '', wide = '0', high = '0'] = /^P6\s(\d+)\s(\d+)\s255\s/.exec(bytes.toString('latin1', 0, 64)) ?? [];
  const width = Number(wide);
  return {
    width,
    height: Number(high),
    at: (x, y) => bytes.readUIntBE(head.length + (y * width + x) * 3, 3),
  };
}

/** The smallest rectangle with all different pixels; null: all are equal. */
export function differenceOf(one: Picture, other: Picture) {
  let [left, top, right, bottom] = [one.width, one.height, -1, -1];
  for (let y = 0; y < one.height; y++) {
    for (let x = 0; x < one.width; x++) {
      if (one.at(x, y) === other.at(x, y)) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = y;
    }
  }
  return right < 0 ? null : { left, top, right, bottom };
}
