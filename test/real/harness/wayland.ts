import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { createPrivateBus } from './bus.ts';
import { endProcess } from './end-process.ts';
import { offerKeyboardLayout } from './keyboard-locale.ts';
import { findProgram } from './parts.ts';

/** A Wayland compositor without a screen, with two displays, in a private runtime directory. */
export interface PrivateWayland {
  /** The environment of a service in this session; without WAYLAND_DISPLAY, which it has to find. */
  variables: Record<string, string>;
  start(): Promise<void>;
  /** Where it listens. */
  socket(): string;
  /** Of the compositor; 0: it is not running. */
  pid(): number;
  /** SIGKILL, as if it had crashed: its socket stays. */
  kill(): Promise<void>;
  swaymsg(...args: string[]): string;
  remove(): Promise<void>;
}

export type Compositor = 'sway' | 'mutter' | 'kwin_wayland' | 'weston';

export interface WaylandOptions {
  /** The layout of its keyboards, such as `de`; Mutter only, which reads it over the system bus. */
  layout?: string;
  /** Of KWin only. */
  kwin?: KwinOptions;
}

export interface KwinOptions {
  /** The socket of a compositor in whose windows its displays are shown. Its default virtual displays cannot be switched off. */
  inside?: () => string;
  /** It draws with OpenGL, in software, as screen capture needs; otherwise without. */
  draws?: 'opengl';
  displays?: number;
  scale?: number;
  /** It has a lock screen, and uses logind on the same bus. */
  locks?: boolean;
}

const commands: Record<Compositor, (directory: string, kwin: KwinOptions) => string[]> = {
  sway: (directory) => ['-c', path.join(directory, 'sway.conf')],
  mutter: () => ['--headless', '--wayland', '--no-x11', ...monitors],
  kwin_wayland: (_, { inside, displays = 2, scale = 1, locks = false }) => [
    ...(inside === undefined ? ['--virtual'] : ['--wayland-display', inside()]),
    '--output-count',
    String(displays),
    '--scale',
    String(scale),
    '--no-global-shortcuts',
    ...(locks ? [] : ['--no-lockscreen']),
  ],
  weston: () => ['--backend=headless-backend.so'],
};

const monitors = ['--virtual-monitor', '1920x1080', '--virtual-monitor', '1280x720'];

const swayConfiguration = `output HEADLESS-1 resolution 1920x1080@60Hz position 0 0
output HEADLESS-2 resolution 1280x1024 position 1920 0
xwayland disable
`;

/** Not started yet. */
export function createPrivateWayland(
  compositor: Compositor,
  { layout, kwin = {} }: WaylandOptions = {},
): PrivateWayland {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-wayland-'));
  const bus = createPrivateBus({ forEverybody: true });
  fs.writeFileSync(path.join(directory, 'sway.conf'), swayConfiguration);
  const isRoot = process.getuid?.() === 0;
  // sway refuses to run as root. In a user namespace it is another user for itself, and ours for all processes outside: a server of another user is not used.
  const namespace =
    compositor === 'sway' && isRoot ? ['unshare', '--user', '--map-user=65534', '--map-group=65534'] : [];
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    XDG_RUNTIME_DIR: directory,
    DBUS_SESSION_BUS_ADDRESS: bus.address,
  };
  const settings = {
    WLR_BACKENDS: 'headless',
    WLR_HEADLESS_OUTPUTS: '2',
    WLR_RENDERER: 'pixman',
    WLR_LIBINPUT_NO_DEVICES: '1',
    KWIN_COMPOSE: kwin.draws === 'opengl' ? 'O2' : 'Q',
    ...(layout === undefined && kwin.locks !== true ? {} : { DBUS_SYSTEM_BUS_ADDRESS: bus.address }),
  };
  let child: ChildProcess | null = null;
  let hasBus = false;
  let endLayout = () => {};
  const sockets = () => fs.readdirSync(directory).filter((name) => /^wayland-\d+$/.test(name));
  const kill = async () => {
    const ending = child;
    child = null;
    await endProcess(ending);
  };
  return {
    variables,
    async start() {
      if (!hasBus) await bus.start();
      if (!hasBus && layout !== undefined) endLayout = await offerKeyboardLayout(bus.socket, layout);
      hasBus = true;
      for (const left of fs.readdirSync(directory))
        if (/^(wayland-|sway-ipc)/.test(left)) fs.rmSync(path.join(directory, left));
      const [program = '', ...args] = [
        ...namespace,
        withoutCapabilities(compositor, directory),
        ...commands[compositor](directory, kwin),
      ];
      child = spawn(findProgram(program) ?? program, args, { env: { ...variables, ...settings }, stdio: 'ignore' });
      const started = child;
      await until(() => {
        if (started.exitCode !== null) throw new Error(`${compositor} ended with ${started.exitCode}`);
        return sockets().length > 0;
      }, `${compositor} listens`);
    },
    socket: () => path.join(directory, sockets()[0] ?? ''),
    pid: () => child?.pid ?? 0,
    kill,
    swaymsg(...args) {
      const socket = fs.readdirSync(directory).find((name) => name.startsWith('sway-ipc.')) ?? '';
      const options = { env: { ...variables, SWAYSOCK: path.join(directory, socket) }, timeout: 30_000 };
      return execFileSync(findProgram('swaymsg') ?? 'swaymsg', args, options).toString();
    },
    async remove() {
      await kill();
      endLayout();
      await bus.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The file of KWin requests a priority that containers do not grant, and then does not start at all; a copy requests none. */
function withoutCapabilities(compositor: Compositor, directory: string): string {
  const program = findProgram(compositor) ?? compositor;
  if (compositor !== 'kwin_wayland') return program;
  const copy = path.join(directory, compositor);
  if (!fs.existsSync(copy)) fs.copyFileSync(program, copy);
  fs.chmodSync(copy, 0o755);
  return copy;
}
