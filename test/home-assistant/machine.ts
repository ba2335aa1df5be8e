import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type RunningHostler, runHostler, startHostler, until } from '../real/harness/service.ts';

/** One service that keeps its directory and its ports over restarts. */
export interface Machine {
  service(): RunningHostler;
  /** `compiled`: dist/hostler, with the files of the source before. */
  start(compiled?: boolean): Promise<void>;
  /** Resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** A command on this machine; its output. */
  command(...args: string[]): Promise<string>;
  configure(settings: Record<string, unknown>): void;
  /** Makes the certificate authority of the service anew. */
  forgetAuthority(): void;
  remove(): Promise<void>;
}

export const plainPort = 19_170;
export const tlsPort = 19_171;

export const secondPort = 19_172;

/** `id`: the machine has this id instead of that of the real one. */
export async function createMachine(
  variables: Record<string, string>,
  { port = plainPort, id = null }: { port?: number; id?: string | null } = {},
): Promise<Machine> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-'));
  const env = { ...variables, SERVICE_PORT: String(port), SERVICE_HOST: '0.0.0.0' };
  const idFile = path.join(directory, 'machine-id');
  if (id !== null) fs.writeFileSync(idFile, `${id}\n`);
  const another = ['unshare', '--mount', 'sh', '-c', `mount --bind ${idFile} /etc/machine-id && exec "$@"`, 'sh'];
  let running: RunningHostler | null = null;
  const service = () => {
    if (running === null) throw new Error('the service is not running');
    return running;
  };
  const machine: Machine = {
    service,
    async start(compiled = false) {
      const through = id === null ? [] : another;
      running = await startHostler({ directory, env, through, compiled, args: ['--port', String(port)] });
    },
    async end(signal) {
      const { pid } = service();
      process.kill(pid, signal);
      await until(() => (isAlive(pid) ? null : true));
      running = null;
    },
    signal: (signal) => process.kill(service().pid, signal),
    async command(...args) {
      const { stdout, stderr, code } = await runHostler(args, { directory, env });
      if (code !== 0) throw new Error(`hostler ${args.join(' ')}: ${stderr.trim()}`);
      return stdout;
    },
    configure(settings) {
      fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
      fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
    },
    forgetAuthority: () => fs.rmSync(path.join(directory, 'state', 'tls'), { recursive: true }),
    async remove() {
      if (running !== null) await machine.end('SIGKILL');
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
  return machine;
}

function isAlive(pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    return false;
  }
}
