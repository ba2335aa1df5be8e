import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { createPrivateBus } from './bus.ts';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';
import { createPrivateX11 } from './x11.ts';

export interface ShownNotification {
  appname: string;
  summary: string;
  body: string;
}

/** A private desktop: X server, session bus, and dunst, which shows notifications. */
export interface PrivateDunst {
  /** The environment of programs in this session. */
  variables: Record<string, string>;
  /** The number of notifications on the screen; -1: dunst does not answer. */
  shown(): number;
  /** Presses a button by its label, of any notification on the screen. */
  press(label: string): Promise<void>;
  /** Opens the menu of buttons for the current notifications; the returned function presses one of them, at any later time. */
  openMenu(): Promise<(label: string) => void>;
  close(): void;
  /** All notifications ever shown, the latest last; closes those that are still open. */
  history(): ShownNotification[];
  /** dunst is frozen. */
  freeze(): void;
  thaw(): void;
  remove(): Promise<void>;
}

export async function startPrivateDunst(): Promise<PrivateDunst> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-dunst-'));
  const inside = (name: string) => path.join(directory, name);
  const x11 = createPrivateX11('Xvfb');
  const bus = createPrivateBus();
  await Promise.all([x11.start(), bus.start()]);
  const variables = { PATH: process.env.PATH ?? '', DISPLAY: x11.display(), DBUS_SESSION_BUS_ADDRESS: bus.address };

  // The menu of buttons is another program: this one selects the line that the test wants, when the test wants it, and ends with the test.
  const script = `#!/bin/sh
lines=$(cat)
touch '${inside('open')}'
while [ ! -e '${inside('wanted')}' ]; do [ -e '${inside('open')}' ] || exit 1; sleep 0.02; done
printf '%s\\n' "$lines" | grep -m1 -F "$(cat '${inside('wanted')}')"
touch '${inside('picked')}'
`;
  fs.writeFileSync(inside('pick.sh'), script, { mode: 0o755 });
  fs.writeFileSync(
    inside('dunstrc'),
    `[global]\n  dmenu = ${inside('pick.sh')}\n  font = Monospace 8\n  markup = full\n  history_length = 1000\n`,
  );
  const dunst: ChildProcess = spawn(findProgram('dunst') ?? '', ['-conf', inside('dunstrc')], {
    env: { ...variables, HOME: directory },
    stdio: 'ignore',
  });
  const dunstctl = (...args: string[]) =>
    execFileSync(findProgram('dunstctl') ?? '', args, {
      env: variables,
      encoding: 'utf8',
      timeout: 30_000,
      stdio: 'pipe',
    });
  const shown = () => {
    try {
      return Number(dunstctl('count', 'displayed'));
    } catch {
      return -1;
    }
  };
  await until(() => shown() === 0, 'dunst answers');

  return {
    variables,
    shown,
    async press(label) {
      fs.rmSync(inside('picked'), { force: true });
      fs.writeFileSync(inside('wanted'), label);
      dunstctl('context');
      // There is no menu if the last notification has just been closed.
      await until(() => fs.existsSync(inside('picked')) || shown() === 0, 'something was picked in the menu');
    },
    async openMenu() {
      fs.rmSync(inside('wanted'), { force: true });
      fs.rmSync(inside('open'), { force: true });
      dunstctl('context');
      await until(() => fs.existsSync(inside('open')), 'the menu is open');
      return (label) => {
        fs.writeFileSync(inside('wanted.new'), label);
        fs.renameSync(inside('wanted.new'), inside('wanted'));
      };
    },
    close: () => void dunstctl('close'),
    history() {
      dunstctl('close-all');
      const { data } = JSON.parse(dunstctl('history')) as { data: Record<string, { data: unknown }>[][] };
      return (data[0] ?? [])
        .map(({ appname, summary, body }) => ({
          appname: String(appname?.data),
          summary: String(summary?.data),
          body: String(body?.data),
        }))
        .toReversed();
    },
    freeze: () => void dunst.kill('SIGSTOP'),
    thaw: () => void dunst.kill('SIGCONT'),
    async remove() {
      await endProcess(dunst);
      await bus.remove();
      await x11.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
