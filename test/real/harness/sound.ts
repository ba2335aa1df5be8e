import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createConnection } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { createPrivateBus } from './bus.ts';
import { endProcess } from './end-process.ts';
import { halt } from './halt.ts';
import { findProgram, needs } from './parts.ts';

/** A private PipeWire, with its own bus and runtime directory, an output "speakers" and a microphone "mic". */
export interface PrivateSound {
  /** Environment of programs that use it. */
  variables: Record<string, string>;
  directory: string;
  start(): Promise<void>;
  /** Kills the servers as if they had crashed, and restarts them a moment later. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Makes PipeWire (0.3.65; later ones may not be affected) stop announcing the default devices, as a client does that is killed right after it connects. */
  fallSilent(): Promise<void>;
  pactl(...args: string[]): string;
  /** A program that uses it. */
  run(program: string, ...args: string[]): ChildProcess;
  stop(child: ChildProcess): Promise<void>;
  /** Ends everything that was started. */
  remove(): Promise<void>;
}

export const hasSound = () =>
  needs('dbus-daemon', 'pipewire', 'wireplumber', 'pipewire-pulse', 'pactl', 'parec', 'pw-record', 'pw-metadata');

/** Not started yet. */
export function createPrivateSound(): PrivateSound {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-sound-'));
  const bus = createPrivateBus();
  const children: ChildProcess[] = [];
  let keeper: ChildProcess | null = null;
  const variables = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    XDG_RUNTIME_DIR: directory,
    DBUS_SESSION_BUS_ADDRESS: bus.address,
  };
  const run = (program: string, ...args: string[]) => {
    const child = spawn(findProgram(program) ?? program, args, { env: variables, cwd: directory, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const pactl = (...args: string[]) =>
    execFileSync(findProgram('pactl') ?? 'pactl', args, {
      env: variables,
      encoding: 'utf8',
      timeout: 30_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const answers = (...args: string[]) => {
    try {
      return pactl(...args);
    } catch {
      return '';
    }
  };
  const answersAt = (socket: string) =>
    new Promise<boolean>((resolve) => {
      const line = createConnection(socket, () => {
        line.destroy();
        resolve(true);
      }).on('error', () => resolve(false));
    });
  /**
   * When WirePlumber has restored its state. A client that disconnects just then makes PipeWire (0.3.65) stop announcing the default devices
   * to all clients: so no client connects before, and the one that waits for it stays.
   */
  const keeperCame = async () => {
    keeper = run('wireplumber');
    const witness = spawn(findProgram('pw-metadata') ?? 'pw-metadata', ['-m'], {
      env: variables,
      cwd: directory,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(witness);
    let reported = '';
    witness.stdout.setEncoding('utf8').on('data', (text: string) => {
      reported += text;
    });
    await until(() => {
      if (keeper?.exitCode !== null) keeper = run('wireplumber');
      return reported.includes('"default" metadata');
    }, 'WirePlumber is there');
  };
  const stopAll = async () => {
    for (const child of children.splice(0).reverse()) await endProcess(child);
  };
  /** In a few of a thousand starts pipewire-pulse ended, or did not answer, for an unknown reason: then start once more. */
  const begin = () => beginOnce().catch(() => stopAll().then(beginOnce));
  const beginOnce = async () => {
    const socket = path.join(directory, 'pipewire-0');
    // A killed server leaves it behind.
    fs.rmSync(socket, { force: true });
    run('pipewire');
    // The two others exit if there is no socket yet.
    await until(() => answersAt(socket), 'pipewire listens');
    await keeperCame();
    let pulse = run('pipewire-pulse');
    await until(() => {
      // Seen once in some hundred starts.
      if (pulse.exitCode !== null || pulse.signalCode !== null) pulse = run('pipewire-pulse');
      return answers('info').includes('PipeWire');
    }, 'pipewire-pulse answers');
    pactl('load-module', 'module-null-sink', 'sink_name=speakers');
    const stereo = 'channel_map=front-left,front-right';
    pactl('load-module', 'module-null-sink', 'media.class=Audio/Source/Virtual', 'sink_name=mic', stereo);
    const sources = ['speakers.monitor', 'mic'];
    const names = () => answers('list', 'short', 'sources').split(/\s+/);
    await until(() => sources.every((source) => names().includes(source)), 'speakers and microphone are there');
    // WirePlumber, which stores the choice, may take a moment longer.
    const chosen = (kind: string, name: string) => {
      answers(`set-default-${kind}`, name);
      return answers(`get-default-${kind}`).trim() === name;
    };
    await until(() => chosen('sink', 'speakers') && chosen('source', 'mic'), 'they are the default');
  };
  return {
    variables,
    directory,
    async start() {
      await bus.start();
      await begin();
    },
    async restart(meanwhile) {
      await stopAll();
      await meanwhile?.();
      await begin();
    },
    async fallSilent() {
      if (keeper !== null) await halt(keeper.pid ?? 0);
      const guest = run('pactl', 'info');
      // Long enough to be registered with WirePlumber, which does not answer.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await endProcess(guest);
      await new Promise((resolve) => setTimeout(resolve, 200));
      keeper?.kill('SIGCONT');
    },
    pactl,
    run,
    stop: (child) => endProcess(child),
    async remove() {
      await stopAll();
      await bus.remove();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
