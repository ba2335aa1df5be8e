import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { findProgram } from './parts.ts';
import { until } from './service.ts';

/** The mosquitto of Debian, with the given configuration. */
export interface Broker extends AsyncDisposable {
  port: number;
  directory: string;
  pid(): number;
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  log(): string;
}

/** `lines` go into its configuration; PORT and DIR are replaced by its port and its directory. */
export async function startBroker(
  lines: readonly string[],
  prepare: (directory: string) => void = () => {},
  /** Arguments of a program that starts it elsewhere, such as in another network. */
  through: readonly string[] = [],
): Promise<Broker> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-broker-'));
  fs.chmodSync(directory, 0o755);
  prepare(directory);
  const port = await freePort();
  const config = path.join(directory, 'mosquitto.conf');
  const text = [
    'persistence false',
    'log_type all',
    'log_dest file DIR/log',
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...lines,
  ]
    .join('\n')
    .replaceAll('PORT', String(port))
    .replaceAll('DIR', directory);
  fs.writeFileSync(config, `${text}\n`);
  let child: ChildProcess | null = null;
  // A file: a test that waits for another program does not drain a pipe, and the broker would block.
  const log = () => {
    const file = path.join(directory, 'log');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  };
  const broker: Broker = {
    port,
    directory,
    pid: () => child?.pid ?? 0,
    log,
    async start() {
      const [program = '', ...args] = [...through, findProgram('mosquitto') ?? '', '-c', config];
      const started = spawn(program, args, { stdio: 'ignore' });
      child = started;
      if (through.length > 0) return void (await until(() => log().includes(' running') || null));
      await until(async () => {
        if (started.exitCode !== null) throw new Error(`mosquitto ended: ${log()}`);
        return (await isOpen(port)) || null;
      });
    },
    async stop(signal = 'SIGTERM') {
      const ending = child;
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill(signal);
      if (signal === 'SIGTERM') ending.kill('SIGCONT');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      await broker.stop('SIGKILL');
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
  await broker.start();
  return broker;
}

export const openBroker = (...more: string[]) =>
  startBroker(['listener PORT 127.0.0.1', 'allow_anonymous true', ...more]);

/** NATS, which supports MQTT 3.1.1, also in a WebSocket with TLS. */
export async function startNats(): Promise<AsyncDisposable & { port: number; webPort: number; directory: string }> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-nats-'));
  makeCertificates(directory, { server: 'localhost' });
  const [port, webPort, ownPort] = [await freePort(), await freePort(), await freePort()];
  const config = path.join(directory, 'nats.conf');
  fs.writeFileSync(
    config,
    `server_name: test
listen: 127.0.0.1:${ownPort}
jetstream { store_dir: "${directory}/store" }
mqtt { listen: "127.0.0.1:${port}" }
websocket { listen: "127.0.0.1:${webPort}", tls { cert_file: "${directory}/server.pem", key_file: "${directory}/server.key" } }
`,
  );
  const child = spawn(findProgram('nats-server') ?? '', ['-c', config], { stdio: 'ignore' });
  await until(async () => ((await isOpen(port)) && (await isOpen(webPort))) || null);
  return {
    port,
    webPort,
    directory,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A witness: all messages published from now on, by topic, and the retained ones. */
export interface Witness extends AsyncDisposable {
  /** The newest on a topic; null: none yet. */
  last(topic: string): string | null;
  all(): { topic: string; payload: string; retain: boolean }[];
}

/** Resolves when it has subscribed: what is published then is not missed. */
export async function startWitness(broker: Pick<Broker, 'port' | 'log'>, ...args: string[]): Promise<Witness> {
  const name = `witness-${crypto.randomUUID()}`;
  const child = spawn(
    findProgram('mosquitto_sub') ?? '',
    ['-V', '5', '-i', name, '-h', '127.0.0.1', '-p', String(broker.port), '-t', '#', '-F', '%j', ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const received: { topic: string; payload: string; retain: boolean }[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const { topic, payload, retain } of lines.map((line) => JSON.parse(line)))
      received.push({ topic, payload: payload ?? '', retain: retain === 1 });
  });
  const witness: Witness = {
    all: () => received,
    last: (topic) => received.findLast((message) => message.topic === topic)?.payload ?? null,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
    },
  };
  try {
    await until(() => broker.log().includes(`Sending SUBACK to ${name}`) || null);
    return witness;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** mosquitto_pub, an ordinary client. */
export function publish({ port }: Pick<Broker, 'port'>, topic: string, payload: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(
    findProgram('mosquitto_pub') ?? '',
    ['-V', '5', '-h', '127.0.0.1', '-p', String(port), '-q', '1', '-t', topic, payload === '' ? '-n' : '-s', ...args],
    { encoding: 'utf8', input: payload },
  );
  if (status !== 0) throw new Error(stderr);
}

/** Each line is a message, all by one client. */
export function publishLines(
  { port }: Pick<Broker, 'port'>,
  topic: string,
  lines: readonly string[],
  ...args: string[]
): void {
  const { status, stderr } = spawnSync(
    findProgram('mosquitto_pub') ?? '',
    ['-V', '5', '-h', '127.0.0.1', '-p', String(port), '-q', '1', '-t', topic, '-l', ...args],
    { encoding: 'utf8', input: `${lines.join('\n')}\n` },
  );
  if (status !== 0) throw new Error(stderr);
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** An authority, and certificates it signed, in a directory: ca.pem, and NAME.pem with NAME.key. */
export function makeCertificates(directory: string, names: Record<string, string>): void {
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: directory, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30', '-subj', '/CN=Test authority');
  for (const [name, subject] of Object.entries(names)) {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    fs.writeFileSync(path.join(directory, 'extensions'), `subjectAltName=DNS:${subject}`);
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '30', '-extfile', 'extensions'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.pem`);
  }
}
