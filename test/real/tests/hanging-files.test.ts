import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

setDefaultTimeout(180_000);

const canMount = process.geteuid?.() === 0 && fs.existsSync('/dev/fuse');
const large = Buffer.alloc(24_000_000);
for (let at = 0; at < large.length; at += 4) large.writeUInt32LE(at, at);

/** How it stops answering: requests are not even read; or they are read and not answered, as by sshfs when its server is gone. */
const hangs = [
  ['SIGSTOP', 'SIGCONT'],
  ['SIGUSR1', 'SIGUSR2'],
] as const;

describe.skipIf(!canMount || !needs('unshare', 'nsenter', 'mount', '/usr/bin/python3'))(
  'files of a file system that stops answering',
  () => {
    let place: string;
    let server: ChildProcess;
    let hostler: RunningHostler;
    beforeAll(async () => {
      place = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-nas-'));
      server = await mountNas(place);
      hostler = await start();
    });
    afterEach(() => goOn());
    afterAll(async () => {
      expect(await hostler.stop()).toBe(0);
      server.kill('SIGKILL');
      fs.rmSync(place, { recursive: true });
    });

    const goOn = () => {
      for (const signal of ['SIGCONT', 'SIGUSR2'] as const) server.kill(signal);
    };

    /** In the mount namespace of the file system. */
    const within = () => ['nsenter', `--mount=/proc/${server.pid}/ns/mnt`];

    const start = async (compiled = false) => {
      const started = await startHostler({
        through: within(),
        compiled,
        prepare: (directory) => prepare(directory, place),
      });
      const [enter = '', namespace = ''] = within();
      const below = path.join(started.directory, 'home', 'below');
      expect(spawnSync(enter, [namespace, 'mount', '--bind', path.join(place, 'nas'), below]).status).toBe(0);
      return started;
    };

    const route = (base: string, file: string) =>
      `/api/media/file/data?token=${hostler.token}&base=${base}&path=${file}`;
    const get = (base: string, file: string, headers: Record<string, string> = {}) =>
      fetch(`${hostler.base}${route(base, file)}`, { headers });
    const statusOf = async (base: string, file: string) => {
      const response = await get(base, file);
      await response.arrayBuffer();
      return response.status;
    };

    const listed = async (base: string) => {
      const client = await connectSocket(hostler);
      const { subtype, data } = await client.ask('GET_FILES', { base });
      client.end();
      return { subtype, data: Array.isArray(data) ? data : [] };
    };

    /** Descriptors in it, and threads that wait for it; both without querying it. */
    const openFiles = () => linksOf(hostler.pid).filter((link) => link.startsWith(path.join(place, 'nas'))).length;
    const stuckThreads = () => waitsOf(hostler.pid).filter((wait) => wait === 'request_wait_answer').length;

    describe('as long as it answers', () => {
      test.each([
        ['nas', 'song.mp3'],
        ['nas', 'album/deep.txt'],
        ['nas', 'link.mp3'],
        ['videos', 'song.mp3'],
        ['home', 'below/song.mp3'],
        ['home', 'link-to-song.mp3'],
      ])('%s, %s', async (base, file) => {
        const response = await get(base, file);
        // A link from the home to it leaves the home; the others stay inside their base.
        if (file === 'link-to-song.mp3') expect(response.status).toBe(403);
        else expect([response.status, await response.text()]).toEqual([200, '0123456789']);
      });

      test.each([
        ['nas', 'nothing.mp3', 404],
        ['nas', 'album', 400],
        ['nas', 'tool.sh', 403],
        ['nas', 'out.txt', 403],
        ['nas', '../x.txt', 403],
      ])('%s, %s is refused as on any file system: %i', async (base, file, status) => {
        expect(await statusOf(base, file)).toBe(status);
      });

      test('its directories are listed, and so is its parent directory', async () => {
        expect((await listed('nas')).data).toMatchObject([
          { name: 'album', isDirectory: true },
          { name: 'film.mp4', size: large.length, contentType: 'video/mp4' },
          { name: 'link.mp3', size: 10, permissions: '-rw-r--r--' },
          { name: 'out.txt', permissions: 'lrwxrwxrwx' },
          { name: 'song.mp3', size: 10 },
          { name: 'tool.sh', size: 10 },
        ]);
        const below = (await listed('home')).data.find(({ name }) => name === 'below');
        expect(below).toMatchObject({ isDirectory: true, permissions: 'drwxr-xr-x' });
        await until(() => (openFiles() === 0 ? true : null));
      });

      test('a large file is sent in pieces, whole or a part, and nothing stays open', async () => {
        expect(Buffer.from(await (await get('nas', 'film.mp4')).arrayBuffer()).equals(large)).toBe(true);
        const part = await get('nas', 'film.mp4', { Range: 'bytes=1000000-20999999' });
        expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000000-20999999/24000000']);
        expect(Buffer.from(await part.arrayBuffer()).equals(large.subarray(1_000_000, 21_000_000))).toBe(true);
        await until(() => (openFiles() === 0 ? true : null));
      });

      test('clients that disconnect leave nothing open', async () => {
        for (let round = 0; round < 20; round += 1) await abandon(hostler.port, route('nas', 'film.mp4'), round);
        await until(() => (openFiles() === 0 ? true : null));
      });
    });

    describe.each(hangs)('after %s', (hang, release) => {
      test('only its own files are refused, and they are served again when it answers', async () => {
        // A signal takes time, or comes at a bad moment: a request that was still answered is repeated, after another.
        const refused = until(async () => {
          server.kill(hang);
          return (await statusOf('nas', 'song.mp3')) === 502 ? true : null;
        });
        await until(() => (stuckThreads() > 0 ? true : null));
        expect((await hostler.get('/api/health')).status).toBe(200);
        expect(await statusOf('music', 'song.mp3')).toBe(200);
        expect(await refused).toBe(true);
        // If each of these waited, they would take minutes longer than the test may.
        for (let round = 0; round < 300; round += 1) {
          const response = await get(round % 2 === 0 ? 'nas' : 'videos', 'song.mp3');
          expect([response.status, await response.json()]).toEqual([
            502,
            {
              error: `The file system of ${round % 2 === 0 ? 'nas' : 'videos'} does not respond; check whether its server can be reached`,
            },
          ]);
        }
        expect(stuckThreads()).toBeLessThanOrEqual(2);
        expect(await statusOf('home', 'below/song.mp3')).toBe(502);
        expect(stuckThreads()).toBeLessThanOrEqual(2);
        // Loaded in the thread pool of the runtime.
        expect((await hostler.get('/api/openapi.json')).status).toBe(200);
        expect((await get('music', 'song.mp3')).status).toBe(200);
        server.kill(release);
        await until(async () => ((await statusOf('nas', 'song.mp3')) === 200 ? true : null));
        await until(() => (openFiles() === 0 && stuckThreads() === 0 ? true : null));
      });

      test('only its own directories cannot be listed, and its mount point is still shown as a directory', async () => {
        await until(async () => {
          server.kill(hang);
          return (await listed('nas')).subtype === 'FAILED' ? true : null;
        });
        const home = await listed('home');
        expect(home.subtype).toBe('NONE');
        expect(home.data.find(({ name }) => name === 'below')).toMatchObject({
          isDirectory: true,
          modTime: '1970-01-01T00:00:00.000Z',
        });
        expect(home.data.find(({ name }) => name === 'Videos')).toMatchObject({ permissions: 'lrwxrwxrwx' });
        expect((await listed('music')).data).toMatchObject([{ name: 'song.mp3' }]);
        expect((await hostler.get('/api/health')).status).toBe(200);
        expect((await hostler.get('/api/openapi.json')).status).toBe(200);
        server.kill(release);
        await until(async () => ((await listed('nas')).subtype === 'NONE' ? true : null));
        await until(() => (openFiles() === 0 && stuckThreads() === 0 ? true : null));
      });

      test('a download waits, and continues where it stopped', async () => {
        const download = await pausedDownload(hostler.port, route('nas', 'film.mp4'));
        server.kill(hang);
        download.resume();
        await until(() => (stuckThreads() > 0 ? true : null));
        expect((await hostler.get('/api/health')).status).toBe(200);
        expect(await statusOf('nas', 'song.mp3')).toBe(502);
        expect(download.received().length).toBeLessThan(large.length);
        server.kill(release);
        expect(dechunked(await download.finished()).equals(large)).toBe(true);
        await until(() => (openFiles() === 0 ? true : null));
      });

      test('clients that disconnect leave nothing open once it answers again', async () => {
        const downloads = await Promise.all(
          [1, 2, 3].map(() => pausedDownload(hostler.port, route('nas', 'film.mp4'))),
        );
        server.kill(hang);
        for (const { client } of downloads) client.destroy();
        for (let round = 0; round < 3; round += 1) await abandon(hostler.port, route('nas', 'film.mp4'), round);
        await until(() => (stuckThreads() > 0 ? true : null));
        expect((await hostler.get('/api/health')).status).toBe(200);
        server.kill(release);
        await until(() => (openFiles() === 0 && stuckThreads() === 0 ? true : null));
        expect(await statusOf('nas', 'song.mp3')).toBe(200);
      });
    });

    test.each(hangs)('after %s a service that waits for it still ends on request', async (hang, release) => {
      const mine = hostler;
      await using other = await start();
      hostler = other;
      try {
        server.kill(hang);
        const asked = statusOf('nas', 'song.mp3').catch(() => null);
        await until(() => (stuckThreads() > 0 ? true : null));
        const ended = other.stop();
        // The kernel does not end a process before a pending request is answered; but nothing of it is visible or usable.
        await until(() => (stateOf(other.pid) === 'Z' || stateOf(other.pid) === null ? true : null));
        await expect(fetch(`${other.base}/api/health`)).rejects.toThrow();
        server.kill(release);
        expect(await ended).toBe(0);
        await asked;
      } finally {
        hostler = mine;
      }
    });

    test.skipIf(!fs.existsSync(path.join(import.meta.dirname, '..', '..', '..', 'dist', 'hostler')))(
      'the compiled service does the same',
      async () => {
        const mine = hostler;
        hostler = await start(true);
        try {
          expect(await statusOf('nas', 'song.mp3')).toBe(200);
          server.kill('SIGSTOP');
          expect(await statusOf('nas', 'song.mp3')).toBe(502);
          expect(await statusOf('music', 'song.mp3')).toBe(200);
          server.kill('SIGCONT');
          expect(await hostler.stop()).toBe(0);
        } finally {
          hostler = mine;
        }
      },
    );
  },
);

/** A file system at place/nas, in a private mount namespace. */
async function mountNas(place: string): Promise<ChildProcess> {
  const [source, nas] = [path.join(place, 'source'), path.join(place, 'nas')];
  fs.mkdirSync(path.join(source, 'album'), { recursive: true });
  fs.mkdirSync(nas);
  for (const name of ['song.mp3', 'album/deep.txt', 'tool.sh']) fs.writeFileSync(path.join(source, name), '0123456789');
  fs.writeFileSync(path.join(source, 'film.mp4'), large);
  fs.symlinkSync('song.mp3', path.join(source, 'link.mp3'));
  fs.symlinkSync('/etc/hostname', path.join(source, 'out.txt'));
  const program = path.join(import.meta.dirname, '..', 'harness', 'hanging-files.py');
  const started = spawn('unshare', ['--mount', '--propagation=private', '/usr/bin/python3', program, source, nas], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  started.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await until(() => (output.includes('mounted') ? true : null));
  return started;
}

function prepare(directory: string, place: string): void {
  const home = path.join(directory, 'home');
  for (const made of ['Music', 'below']) fs.mkdirSync(path.join(home, made), { recursive: true });
  fs.writeFileSync(path.join(home, 'Music', 'song.mp3'), 'local');
  fs.symlinkSync(path.join(place, 'nas'), path.join(home, 'Videos'));
  fs.symlinkSync(path.join(place, 'nas', 'song.mp3'), path.join(home, 'link-to-song.mp3'));
  fs.mkdirSync(path.join(directory, 'config'));
  const media = { directories: [{ name: 'nas', path: path.join(place, 'nas') }] };
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ media }));
}

const linksOf = (pid: number) =>
  fs
    .readdirSync(`/proc/${pid}/fd`)
    .flatMap((descriptor) => orNone(() => fs.readlinkSync(`/proc/${pid}/fd/${descriptor}`)));

const waitsOf = (pid: number) =>
  fs
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => orNone(() => fs.readFileSync(`/proc/${pid}/task/${thread}/wchan`, 'utf8')));

const stateOf = (pid: number) =>
  orNone(() => /^State:\s+(\S)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')[0] ?? null;

function orNone<T>(read: () => T): T[] {
  try {
    return [read()];
  } catch {
    return [];
  }
}

function request(port: number, route: string): net.Socket {
  const client = net.connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.write(`GET ${route} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return client;
}

/** Disconnects a little later each round, so that it happens before, while and after the file is opened. */
async function abandon(port: number, route: string, round: number): Promise<void> {
  const client = request(port, route);
  await new Promise((resolve) => setTimeout(resolve, round * 3));
  client.destroy();
}

/** Reads the first bytes, and the rest on request. */
async function pausedDownload(port: number, route: string) {
  const client = request(port, route);
  const chunks: Buffer[] = [];
  client.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  client.once('data', () => client.pause());
  await until(() => (chunks.length > 0 ? true : null));
  return {
    client,
    resume: () => client.resume(),
    received: () => Buffer.concat(chunks),
    async finished() {
      await until(() => (client.destroyed ? true : null));
      return Buffer.concat(chunks);
    },
  };
}

/** The runtime sends a stream in chunks. */
function dechunked(answer: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = answer.indexOf('\r\n\r\n') + 4; ; ) {
    const end = answer.indexOf('\r\n', at);
    const length = Number.parseInt(answer.subarray(at, end).toString(), 16);
    if (!(length > 0)) return Buffer.concat(pieces);
    pieces.push(answer.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
