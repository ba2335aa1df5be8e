import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';

/** A private D-Bus daemon, on a socket in a temporary directory; nothing can be activated on it. */
export interface PrivateBus {
  socket: string;
  address: string;
  pid(): number;
  start(): Promise<void>;
  /** SIGKILL, as if it had crashed; `start` restarts it on the same socket. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

/** Not started yet. Only its own user may use it, unless it is for all users. `user`: runs it instead of ours. */
export function createPrivateBus({
  forEverybody = false,
  user,
}: {
  forEverybody?: boolean;
  user?: number;
} = {}): PrivateBus {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-bus-'));
  if (user !== undefined) fs.chownSync(directory, user, user);
  if (forEverybody) fs.chmodSync(directory, 0o755);
  const socket = path.join(directory, 'bus');
  const config = path.join(directory, 'bus.conf');
  fs.writeFileSync(config, configuration(socket, forEverybody));
  let daemon: ChildProcess | null = null;
  return {
    socket,
    address: `unix:path=${socket}`,
    pid: () => daemon?.pid ?? 0,
    async start() {
      const args = [`--config-file=${config}`, '--nofork', '--nopidfile', '--print-address=1'];
      daemon = spawn(findProgram('dbus-daemon') ?? 'dbus-daemon', args, {
        ...asUser(user),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const { stdout } = daemon;
      // It prints its address when it accepts connections.
      if (stdout) await Promise.race([once(stdout, 'data'), once(daemon, 'exit').then(() => Promise.reject(failed))]);
    },
    async kill() {
      const ending = daemon;
      daemon = null;
      await endProcess(ending);
    },
    async remove() {
      await this.kill();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

const failed = new Error('dbus-daemon did not start');

export const asUser = (user: number | undefined) => (user === undefined ? {} : { uid: user, gid: user, cwd: '/' });

function configuration(socket: string, forEverybody: boolean): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">${forEverybody ? '<allow user="*"/>' : ''}
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}
