import fs from 'node:fs';
import type { PrivateBox } from './box.ts';
import { type BoxUser, succeed } from './boxed-service.ts';
import { until } from './service.ts';

/** A user at a screen: a real login session with an X server, a screen locker and a notification daemon. */
export interface BoxedSession extends BoxUser {
  /** Runs a program as the user, outside the session, but with its variables. */
  run(command: string[]): Promise<string>;
  /** Processes of the session. */
  processes(): Promise<string[]>;
  /** How often the screen locker was started. */
  locks(): number;
  /** Resolves when it is. */
  unlock(): Promise<void>;
  /** Ends the session with everything in it. */
  logOut(): Promise<void>;
  /** Again, after a log-out. */
  logIn(): Promise<void>;
}

export const sessionPrograms = ['Xvfb', 'xss-lock', 'xset', 'dunst', 'dunstctl', 'useradd', 'loginctl'];

/** Files for the box, to be made before it starts. */
export function furnishSession(write: (file: string, text: string) => void): void {
  write('/opt/session', sessionScript);
  write('/opt/locker', '#!/bin/sh\necho locked >> "$HOME/locked"\nexec sleep 600\n');
}

export async function startSession(box: PrivateBox, name = 'alice'): Promise<BoxedSession> {
  await succeed(box, ['chmod', '755', '/opt/session', '/opt/locker']);
  await succeed(box, ['useradd', '--create-home', '--shell', '/bin/sh', name]);
  const uid = Number(await succeed(box, ['id', '-u', name]));
  const home = `/home/${name}`;
  const unit = `session-of-${name}`;
  const read = (file: string) => (fs.existsSync(box.path(file)) ? fs.readFileSync(box.path(file), 'utf8') : '');
  const logins = () => read(`${home}/session.log`).split('session is ready').length - 1;
  const logIn = async () => {
    const before = logins();
    await succeed(box, [
      'systemd-run',
      '--quiet',
      '--collect',
      `--unit=${unit}`,
      '--property=PAMName=login',
      `--property=User=${name}`,
      '--property=StandardInput=null',
      `--property=StandardOutput=append:${home}/session.log`,
      `--property=StandardError=append:${home}/session.log`,
      '--setenv=XDG_SESSION_CLASS=user',
      '--setenv=XDG_SESSION_TYPE=x11',
      `--setenv=HOME=${home}`,
      '/opt/session',
    ]);
    await until(() => (logins() > before ? true : null));
  };
  await logIn();
  const env = {
    HOME: home,
    DISPLAY: ':7',
    XDG_RUNTIME_DIR: `/run/user/${uid}`,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=/run/user/${uid}/bus`,
  };
  return {
    name,
    uid,
    run: (command) => succeed(box, command, { user: { uid, gid: uid }, env }),
    async processes() {
      const { stdout } = await box.run(['pgrep', '-u', name, '-x', '-l', 'Xvfb|xss-lock|dunst']);
      return stdout.split('\n').filter(Boolean);
    },
    async logOut() {
      // If the bus ended, the unit may be gone already.
      const { code, stderr } = await box.run(['systemctl', 'stop', unit]);
      if (code !== 0 && !stderr.includes('not loaded')) throw new Error(`${unit} was not stopped: ${stderr}`);
    },
    logIn,
    locks: () => read(`${home}/locked`).split('\n').length - 1,
    async unlock() {
      await succeed(box, ['loginctl', 'unlock-sessions']);
      const id = (await succeed(box, ['loginctl', 'show-user', name, '--property=Display', '--value'])).trim();
      const hint = ['loginctl', 'show-session', id, '--property=LockedHint', '--value'];
      await until(async () => ((await succeed(box, hint)).trim() === 'no' ? true : null));
    },
  };
}

const sessionScript = `#!/bin/sh
export DISPLAY=:7 DBUS_SESSION_BUS_ADDRESS="unix:path=$XDG_RUNTIME_DIR/bus"
Xvfb :7 -nolisten tcp -screen 0 640x480x24 &
until xset q > /dev/null 2>&1; do sleep 0.1; done
until [ -S "$XDG_RUNTIME_DIR/bus" ]; do sleep 0.1; done
dunst &
until dunstctl count > /dev/null 2>&1; do sleep 0.1; done
xss-lock -- /opt/locker &
echo session is ready
wait
`;
