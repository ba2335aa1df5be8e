import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

/** Settings with this `server` part, for the `prepare` of a service. */
export const serverSettings =
  (server: Record<string, unknown>, rest: Record<string, unknown> = {}) =>
  (directory: string) => {
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ ...rest, server }), {
      mode: 0o600,
    });
  };

export const authorityOf = ({ directory }: { directory: string }) =>
  path.join(directory, 'state', 'tls', 'authority.crt');

/** The output of openssl for a handshake; only `input` is sent afterwards. It ends after printing `goodbye`, or when the peer closes. */
export async function handshake(
  port: number,
  options: string[],
  input = '',
  goodbye: RegExp | null = null,
): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...options]);
  let output = '';
  const reported = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (goodbye?.test(output)) child.stdin.end();
      // It has printed everything when it waits for input.
      if (/^---\n(?:read R BLOCK|Post-Handshake)|Verify return code: .*\n.*\n?.*\n?---/m.test(output))
        reported.resolve();
    });
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([reported.promise, ended]);
  child.stdin.write(input);
  if (input === '') child.stdin.end();
  await ended;
  return output;
}

/** A certificate of the user: self-signed, by openssl. */
export function selfSigned(
  directory: string,
  name: string,
  options: string[] = [],
): { certificate: string; key: string } {
  const certificate = path.join(directory, `${name}.crt`);
  const key = path.join(directory, `${name}.key`);
  const { status, stderr } = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-days',
      '30',
      ...options,
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  fs.chmodSync(key, 0o600);
  return { certificate, key };
}

/** The ClientHello, byte by byte: for versions that no library supports any more. */
export function clientHello(version: number, suites: number[]): Buffer {
  const u16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  const sized = (bytes: Buffer) => Buffer.concat([u16(bytes.length), bytes]);
  const extension = (type: number, body: Buffer) => Buffer.concat([u16(type), sized(body)]);
  const groups = extension(10, sized(Buffer.concat([u16(0x001d), u16(0x0017)])));
  const points = extension(11, Buffer.from([1, 0]));
  const signatures = extension(13, sized(Buffer.concat([u16(0x0403), u16(0x0804), u16(0x0401)])));
  const body = Buffer.concat([
    u16(version),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    sized(Buffer.concat(suites.map(u16))),
    Buffer.from([1, 0]),
    sized(Buffer.concat([groups, points, signatures])),
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), u16(body.length), body]);
  return Buffer.concat([Buffer.from([0x16]), u16(Math.min(version, 0x0301)), sized(message)]);
}

/** The reply to these bytes, up to the first record or the end. */
export function firstReply(port: number, bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let received: Buffer = Buffer.alloc(0);
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      if (received.length >= 5) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
