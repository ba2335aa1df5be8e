import net from 'node:net';
import tls from 'node:tls';

/** What an unauthenticated client sends on each of its connections, and whether it stays. */
export interface Attack {
  name: string;
  /** Limit of descriptors of the service; the machine's own unless given. */
  descriptors?: number;
  /** Sent at once on each connection. */
  opening(port: number): string | Uint8Array;
  /** Sent on each open connection once a second. */
  trickle?: string;
  /** Sent when the service has agreed to a WebSocket. */
  afterUpgrade?: Uint8Array;
  mostOpen: number;
  /** A one-time code waits to be redeemed. */
  codeWaits?: boolean;
  /** At the port with TLS. */
  overTls?: boolean;
}

const host = (port: number) => `Host: 127.0.0.1:${port}`;
/** Via: unlike processes of our own user, which have places of their own. */
const upgrade = (port: number) =>
  `GET /api/websocket HTTP/1.1\r\n${host(port)}\r\nVia: 1.1 bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
const posting = (port: number, path: string, length: number, body: string) =>
  `POST ${path} HTTP/1.1\r\n${host(port)}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
const login = (port: number, length: number, body: string) => posting(port, '/api/login', length, body);
const withBody = (port: number, path: string, body: string) => posting(port, path, body.length, body);
const repeated = (line: string, count: number) => (port: number) =>
  `${line} HTTP/1.1\r\n${host(port)}\r\n\r\n`.repeat(count);
/** The head of a frame of a mebibyte, and a part of it. */
const beginning = (bytes: number) =>
  Buffer.concat([Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4]), Buffer.alloc(bytes)]);
const wrongMessage = () => {
  const text = Buffer.from(JSON.stringify({ token: 'wrong', id: '1', event: 'GET_DATA', data: { modules: ['cpu'] } }));
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]);
};
const wrongProof = JSON.stringify({ id: 'browser-0123456789ab', challenge: 'x'.repeat(90), signature: 'x'.repeat(86) });
const wrongCode = '{"code":"wrong-wrong-wrong"}';

const clientHello = await recordHello();
/** Recorded from openssl: one that offers the curve P-384 only, which costs most. */
const dearHello = Buffer.from(
  'FgMBAQcBAAEDAwPOOlT4OYDpVBXj7iqm6xg3kuKPsnP3u4BCoQaTRgpuGyBufcBE8Edm1rKrWUQOugPEIiVJgjyOE3WnEaLo9Hkh8QAEEwEA/w' +
    'EAALYACwAEAwABAgAKAAQAAgAYACMAAAAWAAAAFwAAAA0AHgAcBAMFAwYDCAcICAgJCAoICwgECAUIBgQBBQEGAQArAAMCAwQALQACAQEAMwBn' +
    'AGUAGABhBE6RosFMH+BMvWmT6kko9DNo7Q8hsRy4wTBVTwi2OlxDY/AApZUzr7F6ptLX2tqfRlVHNl9A3RA4Tjat+ni887TuPdLv+FFOfSOhDN' +
    'iTTwqDYAVVl/RjtR1UMCxxYxOV2Q==',
  'base64',
);

export const attacks: Attack[] = [
  { name: 'no attack', opening: () => '', mostOpen: 0 },
  { name: 'connections that say nothing', opening: () => '', mostOpen: 8000 },
  { name: 'the same, 1,024 descriptors', opening: () => '', mostOpen: 8000, descriptors: 1024 },
  {
    name: 'half a head, 1,024 descriptors',
    opening: (port) => `GET / HTTP/1.1\r\n${host(port)}\r\nX-Half: `,
    trickle: 'x',
    mostOpen: 8000,
    descriptors: 1024,
  },
  {
    name: 'long heads',
    opening: (port) => `GET / HTTP/1.1\r\n${host(port)}\r\nX-Long: ${'x'.repeat(12_000)}`,
    mostOpen: 8000,
  },
  { name: 'slow bodies', opening: (port) => login(port, 4000, '{'), trickle: ' ', mostOpen: 5000 },
  { name: 'unfinished frames, 1 MB each', opening: upgrade, afterUpgrade: beginning(1_000_000), mostOpen: 5000 },
  { name: 'unfinished frames, 1 KB each', opening: upgrade, afterUpgrade: beginning(1000), mostOpen: 5000 },
  {
    name: 'wrong tokens over WebSocket',
    opening: upgrade,
    afterUpgrade: Buffer.concat(Array.from({ length: 1000 }, wrongMessage)),
    mostOpen: 5000,
  },
  {
    name: 'wrong tokens over HTTP',
    opening: (port) => `GET /api/data/cpu HTTP/1.1\r\n${host(port)}\r\nX-API-Token: wrong\r\n\r\n`.repeat(200),
    mostOpen: 200,
  },
  {
    name: 'wrong codes while one waits',
    opening: (port) => login(port, wrongCode.length, wrongCode),
    mostOpen: 200,
    codeWaits: true,
  },
  // 2,000 requests arrive at once; with 30 a connection ends before a limit applies.
  ...[2000, 30].flatMap((count): Attack[] => [
    {
      name: `challenges, ${count} a connection`,
      opening: repeated('POST /api/sessions/challenge', count),
      mostOpen: 200,
    },
    { name: `pairings begun, ${count} a connection`, opening: repeated('POST /api/pair/begin', count), mostOpen: 200 },
    { name: `pages, ${count} a connection`, opening: repeated('GET /', count), mostOpen: 200 },
    { name: `nothing there, ${count} a connection`, opening: repeated('GET /api/x', count), mostOpen: 200 },
    { name: `health, ${count} a connection`, opening: repeated('GET /api/health', count), mostOpen: 200 },
  ]),
  {
    name: 'wrong proofs of sessions',
    opening: (port) => withBody(port, '/api/sessions', wrongProof).repeat(100),
    mostOpen: 200,
  },
  {
    name: 'requests for access that are none',
    opening: (port) => withBody(port, '/api/pair', '{"name":"x","clear":{"secret":"x"}}').repeat(100),
    mostOpen: 200,
  },
  { name: 'handshakes that are never finished', opening: () => clientHello, mostOpen: 5000, overTls: true },
  { name: 'the same, with the dearest curve', opening: () => dearHello, mostOpen: 5000, overTls: true },
  {
    name: 'pages that are not read',
    opening: (port) => `GET /api/openapi.json HTTP/1.1\r\n${host(port)}\r\n\r\n`.repeat(20),
    mostOpen: 2000,
  },
];

/** The first message of a handshake: expensive for the server, free to repeat. */
function recordHello(): Promise<Buffer> {
  return new Promise((resolve) => {
    const server = net.createServer((socket) => {
      socket.once('data', (hello: Buffer) => {
        resolve(hello);
        socket.destroy();
        server.close();
      });
    });
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address();
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
      tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => {});
    });
  });
}
