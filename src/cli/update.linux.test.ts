import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzip, tar, zip } from '../../scripts/package/archives.ts';
import { releaseList } from '../../scripts/package/sign.ts';
import { type FakeClock, fakeHost } from '../../test/doubles/fake-host.ts';
import { createClock } from '../host/clock.ts';
import { createDownload } from '../host/download.ts';
import type { OwnProgram } from '../host/own-program.ts';
import { extractProgram } from '../host/program-archive.ts';
import { type ProgramFiles, programFiles, replaceInOneStep } from '../host/program-files.ts';
import { createRunner } from '../host/run.ts';
import { createStorage } from '../host/storage.ts';
import { replaceRunning } from '../host/windows/replace-running.ts';
import { update } from './update.ts';

setDefaultTimeout(120_000);

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler update-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keyFile = path.join(scratch, 'key.pem');
fs.writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');

/** Stands for a program: it says its version, as the real one does. */
const programOf = (version: string) => `#!/bin/sh\n[ "$1" = version ] && echo '{"version": "${version}"}'\n`;
const entry = (version: string) => `hostler-${version}-linux-x64/bin/hostler`;
const archiveOf = (version: string, program = programOf(version)) =>
  gzip(
    tar(
      [
        { path: `hostler-${version}-linux-x64/LICENSE`, mode: 0o644, data: new Uint8Array(5000).fill(65) },
        { path: entry(version), mode: 0o755, data: new TextEncoder().encode(program) },
      ],
      { time: 1_700_000_000 },
    ),
  );

type Answer = () => Response;

interface Stage {
  /** In place of what is right, by path. */
  answers?: Record<string, Answer>;
  program?: string;
  version?: string;
  time?: number;
  files?: ProgramFiles;
  download?: { idleMs?: number; totalMs?: number };
  /** What runs, and what it says after a restart; one that is not given has no service. */
  answering?: (program: string) => string | null;
  answersWithinMs?: number;
  directory?: string;
  isRunning?: (pid: number) => boolean;
}

/** A machine with an installed 6.0.0, and a server with a newer one. */
async function stage({ version = '6.1.0', time = Date.now() / 1000 - 60, ...given }: Stage = {}) {
  const directory = given.directory ?? fs.mkdtempSync(path.join(scratch, 'machine-'));
  const bin = path.join(directory, 'bin');
  const program = path.join(bin, 'hostler');
  if (!fs.existsSync(program)) {
    fs.mkdirSync(bin, { recursive: true, mode: 0o755 });
    fs.writeFileSync(program, programOf('6.0.0'), { mode: 0o755 });
  }
  const archive = archiveOf(version, given.program);
  const name = `hostler-${version}-linux-x64.tar.gz`;
  const list = releaseList({ [name]: archive }, { version, page: null, time, key: keyFile });
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const answer = given.answers?.[pathname];
      if (answer !== undefined) return answer();
      if (pathname === '/releases.json') return new Response(list);
      return pathname === `/${name}` ? new Response(archive) : new Response('no', { status: 404 });
    },
  });
  const own: OwnProgram = {
    origin: {
      kind: 'archive',
      archive: (wanted) => `hostler-${wanted}-linux-x64.tar.gz`,
      programs: [{ entry, file: program }],
    },
    replacement: replaceInOneStep(given.files ?? programFiles),
    isRunBy: () => true,
  };
  const host = fakeHost({
    storage: createStorage(() => null),
    paths: { config: path.join(directory, 'config'), state: path.join(directory, 'state'), runtime: null },
    // What is waited for takes its real time here.
    clock: createClock() as FakeClock,
    download: createDownload('test'),
    run: createRunner().run,
    environment: { isRunning: given.isRunning ?? (() => false) },
  });
  const lines: string[] = [];
  const restarts: string[] = [];
  const now = () => fs.readFileSync(program, 'utf8');
  const { answering } = given;
  const service = {
    name: 'your service',
    restart: async () => void restarts.push(now()),
    version: async () => answering?.(now()) ?? null,
  };
  const run = (flags: { check?: boolean; json?: boolean } = {}, installed = '6.0.0') =>
    update(
      {
        host,
        print: (line) => void lines.push(line),
        complain: () => {},
        write: () => {},
        isForPeople: () => false,
        screen: () => ({ columns: null, ascii: false }),
        command: 'hostler',
      },
      { ...flags, from: `http://127.0.0.1:${server.port}/releases.json` },
      {
        key,
        installed,
        own: async () => own,
        services: async () => ({ restartable: answering === undefined ? [] : [service], byHand: null }),
        files: given.files ?? programFiles,
        download: given.download ?? {},
        answersWithinMs: given.answersWithinMs ?? 20_000,
      },
    );
  return {
    run,
    now,
    lines,
    asked,
    restarts,
    directory,
    program,
    beside: () => fs.readdirSync(bin).sort(),
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
}

const isOld = { text: programOf('6.0.0'), beside: ['hostler'] };

describe('an update', () => {
  test('puts the new program into place, keeps the old one beside it, and leaves nothing else', async () => {
    await using machine = await stage();
    await machine.run();
    expect(machine.now()).toBe(programOf('6.1.0'));
    expect(fs.statSync(machine.program).mode & 0o777).toBe(0o755);
    expect(machine.beside()).toEqual(['hostler', 'hostler.previous']);
    expect(fs.readFileSync(`${machine.program}.previous`, 'utf8')).toBe(programOf('6.0.0'));
    expect(machine.lines.join('\n')).toContain('Hostler 6.1.0 was installed');
  });

  test('restarts the service, which answers as the new version', async () => {
    await using machine = await stage({ answering: (program) => /\d+\.\d+\.\d+/.exec(program)?.[0] ?? null });
    await machine.run();
    expect(machine.restarts).toEqual([programOf('6.1.0')]);
    expect(machine.lines.at(-1)).toBe('Your service was restarted and answers as 6.1.0');
  });

  test('is taken back where the new version does not answer, and the old one answers again', async () => {
    await using machine = await stage({
      answering: (program) => (program === programOf('6.0.0') ? '6.0.0' : null),
      answersWithinMs: 600,
    });
    await expect(machine.run()).rejects.toThrow(
      'Your service did not come up as 6.1.0 (it did not answer within 0.6 s), so 6.0.0 was put back, and answers again',
    );
    expect(machine.restarts).toEqual([programOf('6.1.0'), programOf('6.0.0')]);
    expect({ text: machine.now(), beside: machine.beside() }).toEqual(isOld);
  });

  test('is taken back where the old version keeps answering, as if nothing had been restarted', async () => {
    await using machine = await stage({ answering: () => '6.0.0', answersWithinMs: 600 });
    await expect(machine.run()).rejects.toThrow('6.0.0 was put back');
    expect(machine.now()).toBe(isOld.text);
  });

  test('downloads to a name that nobody knows beforehand, for nobody else to read, and takes away what others left', async () => {
    const made: [name: string, mode: number][] = [];
    const files: ProgramFiles = {
      ...programFiles,
      create(file, mode) {
        if (file.endsWith('.download')) made.push([path.basename(file), mode]);
        return programFiles.create(file, mode);
      },
    };
    for (const _ of [1, 2]) {
      await using machine = await stage({ files });
      fs.writeFileSync(`${machine.program}.download`, 'left');
      fs.writeFileSync(`${machine.program}.${crypto.randomUUID()}.download`, 'left');
      fs.writeFileSync(`${machine.program}.mine.download`, 'not ours');
      await machine.run();
      expect(machine.now()).toBe(programOf('6.1.0'));
      expect(machine.beside()).toEqual(['hostler', 'hostler.mine.download', 'hostler.previous']);
    }
    expect(made).toHaveLength(2);
    for (const [name, mode] of made) {
      expect(name).toMatch(/^hostler\.[0-9a-f-]{36}\.download$/);
      expect(mode).toBe(0o600);
    }
    expect(made[0]?.[0]).not.toBe(made[1]?.[0]);
  });

  test('--check changes nothing', async () => {
    await using machine = await stage();
    await machine.run({ check: true, json: true });
    expect(JSON.parse(machine.lines.join('\n'))).toMatchObject({ installed: '6.0.0', newer: '6.1.0', updated: false });
    expect(machine.asked).toEqual(['/releases.json']);
    expect({ text: machine.now(), beside: machine.beside() }).toEqual(isOld);
  });

  test.each(['6.1.0', '6.2.0', '7.0.0-rc.1'])('never goes back from %s', async (installed) => {
    await using machine = await stage();
    await machine.run({}, installed);
    expect(machine.lines).toEqual([`Hostler ${installed} is the latest release`]);
    expect(machine.now()).toBe(isOld.text);
  });

  test('does not believe an older list than one it has seen', async () => {
    const directory = fs.mkdtempSync(path.join(scratch, 'machine-'));
    await using later = await stage({ directory });
    await later.run({ check: true });
    await using replayed = await stage({ directory, version: '6.0.5', time: Date.now() / 1000 - 86_400 * 3 });
    await expect(replayed.run()).rejects.toThrow('somebody may be holding newer releases back');
    await using expired = await stage({ time: Date.now() / 1000 - 86_400 * 401 });
    await expect(expired.run()).rejects.toThrow('was good until');
  });
});

test('a list of the future is refused, and does not stand in the way of the next one', async () => {
  const directory = fs.mkdtempSync(path.join(scratch, 'machine-'));
  await using early = await stage({ directory, time: Date.now() / 1000 + 86_400 * 30 });
  await expect(early.run()).rejects.toThrow('which is yet to come');
  expect(early.now()).toBe(isOld.text);
  await using right = await stage({ directory });
  await right.run();
  expect(right.now()).toBe(programOf('6.1.0'));
});

const redirect = (location: string) => () => new Response(null, { status: 302, headers: { location } });
const archivePath = '/hostler-6.1.0-linux-x64.tar.gz';

/** Bytes without end, one after the other; `everyMs` 0: as fast as they go. */
const drip = (everyMs: number, size: number) => () =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        if (everyMs > 0) await Bun.sleep(everyMs);
        controller.enqueue(new Uint8Array(size));
      },
    }),
  );

/** A disk that takes no more than so much at a time. */
const fullAfter = (most: number): ProgramFiles => ({
  ...programFiles,
  write(descriptor, bytes) {
    programFiles.write(descriptor, bytes.subarray(0, most));
    if (bytes.length > most) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  },
});

describe('an update is refused, and nothing changes', () => {
  test.each<[string, Stage, string]>([
    [
      'where the file was changed',
      {
        answers: {
          [archivePath]: () => {
            const bytes = archiveOf('6.1.0');
            bytes[100] = (bytes[100] ?? 0) ^ 1;
            return new Response(bytes);
          },
        },
      },
      'it is not the file in the release list',
    ],
    [
      'where the file is cut short, and says so',
      { answers: { [archivePath]: () => new Response(archiveOf('6.1.0').slice(0, 100)) } },
      'it would be 100 bytes instead of',
    ],
    [
      'where the file ends early',
      {
        answers: {
          [archivePath]: () =>
            new Response(
              new ReadableStream({
                async start(controller) {
                  controller.enqueue(archiveOf('6.1.0').slice(0, 100));
                  // Later, or its length is announced.
                  await Bun.sleep(50);
                  controller.close();
                },
              }),
            ),
        },
      },
      'it ended after 100 of',
    ],
    ['where the file never ends', { answers: { [archivePath]: drip(0, 65_536) } }, 'it is larger than'],
    [
      'where the file drips',
      { answers: { [archivePath]: drip(20, 1) }, download: { totalMs: 700 } },
      'it is not complete after 0.7 s',
    ],
    [
      'where nothing comes any more',
      { answers: { [archivePath]: drip(60_000, 1) }, download: { idleMs: 400 } },
      'nothing came for 0.4 s',
    ],
    ['where there is no file', { answers: { [archivePath]: () => new Response('', { status: 404 }) } }, 'answered 404'],
    [
      'where the address leads to a file of this machine',
      { answers: { [archivePath]: redirect('file:///etc/passwd') } },
      'it leads to file:///etc/passwd, which is not a web address',
    ],
    [
      'where the address of the list does',
      { answers: { '/releases.json': redirect('file:///etc/passwd') } },
      'which is not a web address',
    ],
    [
      'where one address leads to the next without end',
      { answers: { [archivePath]: redirect(archivePath) } },
      'more than 5 other addresses',
    ],
    [
      'where the list is not signed',
      { answers: { '/releases.json': () => Response.json({ version: '6.1.0', url: 'https://example.org' }) } },
      'it is not a signed release list',
    ],
    [
      'where the list is signed by somebody else',
      {
        answers: {
          '/releases.json': () => {
            const other = path.join(scratch, 'other.pem');
            const pair = generateKeyPairSync('ed25519');
            fs.writeFileSync(other, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
            return new Response(releaseList({}, { version: '6.1.0', page: null, time: Date.now() / 1000, key: other }));
          },
        },
      },
      'its signature is not by the key',
    ],
    ['where the list never ends', { answers: { '/releases.json': drip(0, 65_536) } }, 'its answer is larger than'],
    ['where it is not JSON', { answers: { '/releases.json': () => new Response('<html>') } }, 'cannot be used'],
    ['where the new program does not run here', { program: '#!/nowhere/sh\n' }, 'was not installed'],
    ['where the new program fails', { program: '#!/bin/sh\nexit 3\n' }, 'does not run on this machine (exit code 3)'],
    ['where the new program is another', { program: programOf('5.0.0') }, 'it is another version'],
    ['where the disk is full in the middle', { files: fullAfter(100) }, 'is full'],
    ['where the disk is full at once', { files: fullAfter(10) }, 'is full'],
  ])('%s', async (_case, given, sentence) => {
    await using machine = await stage(given);
    await expect(machine.run()).rejects.toThrow(sentence);
    expect({ text: machine.now(), beside: machine.beside() }).toEqual(isOld);
  });

  test('where another update is going on, as long as it does', async () => {
    await using machine = await stage({ isRunning: (pid) => pid === 4711 });
    fs.writeFileSync(`${machine.program}.updating`, '4711');
    await expect(machine.run()).rejects.toThrow('Hostler is being updated already, by process 4711');
    expect(machine.now()).toBe(isOld.text);
    fs.writeFileSync(`${machine.program}.updating`, '4712');
    await machine.run();
    expect(machine.now()).toBe(programOf('6.1.0'));
  });

  test.each([
    ['that was left by one that has ended', '4712'],
    ['that is not written yet', ''],
  ])('where another one took the lock %s in the moment after both have looked at it', async (_case, left) => {
    let lock = '';
    let looks = 0;
    const theirs = '4711 the other';
    const files: ProgramFiles = {
      ...programFiles,
      read(file) {
        const text = programFiles.read(file);
        if (file === lock && looks++ === 0) {
          fs.rmSync(lock);
          fs.writeFileSync(lock, theirs);
        }
        return text;
      },
    };
    await using machine = await stage({ files, isRunning: (pid) => pid === 4711 });
    lock = `${machine.program}.updating`;
    fs.writeFileSync(lock, left);
    await expect(machine.run()).rejects.toThrow('Hostler is being updated already, by process 4711');
    expect(looks).toBeGreaterThan(0);
    expect(fs.readFileSync(lock, 'utf8')).toBe(theirs);
    expect({ text: machine.now(), beside: machine.beside() }).toEqual({
      text: isOld.text,
      beside: ['hostler', 'hostler.updating'],
    });
  });

  test('where another one took the lock between its absence and its making', async () => {
    let lock = '';
    const files: ProgramFiles = {
      ...programFiles,
      create(file, mode) {
        if (file === lock && !fs.existsSync(lock)) fs.writeFileSync(lock, '4711');
        return programFiles.create(file, mode);
      },
    };
    await using machine = await stage({ files, isRunning: (pid) => pid === 4711 });
    lock = `${machine.program}.updating`;
    await expect(machine.run()).rejects.toThrow('Hostler is being updated already, by process 4711');
    expect(fs.readFileSync(lock, 'utf8')).toBe('4711');
    expect(machine.now()).toBe(isOld.text);
  });

  test('where another one has begun during the download, whose files stay', async () => {
    let theirs = () => {};
    await using machine = await stage({
      answers: {
        [archivePath]: () => {
          theirs();
          return new Response(archiveOf('6.1.0'));
        },
      },
    });
    theirs = () => {
      fs.writeFileSync(`${machine.program}.updating`, '4711');
      fs.writeFileSync(`${machine.program}.new`, 'theirs');
    };
    await expect(machine.run()).rejects.toThrow('another process has begun to update Hostler');
    expect(machine.now()).toBe(isOld.text);
    expect(machine.beside()).toEqual(['hostler', 'hostler.new', 'hostler.updating']);
  });

  test('where no key was built in', async () => {
    await using machine = await stage();
    const context = { host: fakeHost(), print: () => {} } as never;
    await expect(update(context, {}, { key: null, own: async () => null })).rejects.toThrow('has no release key');
    expect(machine.now()).toBe(isOld.text);
  });
});

/** The machine loses its power before the call with this number, and does nothing any more. */
function powerCutAfter(calls: number): { files: ProgramFiles; done(): number } {
  let count = 0;
  const guard =
    <Given extends unknown[], Result>(call: (...given: Given) => Result) =>
    (...given: Given): Result => {
      if (count >= calls) throw new Error('power cut');
      count += 1;
      return call(...given);
    };
  const files: ProgramFiles = {
    create: guard(programFiles.create),
    write: guard(programFiles.write),
    sync: guard(programFiles.sync),
    close: programFiles.close,
    link: guard(programFiles.link),
    copy: guard(programFiles.copy),
    rename: guard(programFiles.rename),
    read: guard(programFiles.read),
    remove: guard(programFiles.remove),
    names: guard(programFiles.names),
    syncDirectory: guard(programFiles.syncDirectory),
  };
  return { files, done: () => count };
}

test('after a power cut before any of its calls the program is the old one or the new one, and the next update works', async () => {
  const seen = new Set<string>();
  for (let calls = 0; ; calls += 1) {
    const { files, done } = powerCutAfter(calls);
    await using cut = await stage({ files });
    const isThrough = await cut.run().then(
      () => true,
      () => false,
    );
    const text = cut.now();
    expect([programOf('6.0.0'), programOf('6.1.0')]).toContain(text);
    expect(fs.statSync(cut.program).mode & 0o777).toBe(0o755);
    seen.add(text);
    if (isThrough) {
      // All of its calls were tried, and there are some.
      expect(done()).toBeGreaterThan(12);
      break;
    }
    await using again = await stage({ directory: cut.directory });
    await again.run();
    expect(again.now()).toBe(programOf('6.1.0'));
    expect(again.beside()).toEqual(['hostler', 'hostler.previous']);
  }
  expect([...seen].sort()).toEqual([programOf('6.0.0'), programOf('6.1.0')]);
});

test('where a disk knows no second names, the old program is copied', async () => {
  const files: ProgramFiles = {
    ...programFiles,
    link() {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
    },
  };
  await using machine = await stage({ files });
  await machine.run();
  expect(fs.readFileSync(`${machine.program}.previous`, 'utf8')).toBe(programOf('6.0.0'));
});

test('the way of Windows: the running program is renamed, never replaced, and comes back where that fails', () => {
  const directory = fs.mkdtempSync(path.join(scratch, 'windows-'));
  const program = path.join(directory, 'hostler.exe');
  const text = () => fs.readFileSync(program, 'utf8');
  fs.writeFileSync(program, 'old');
  fs.writeFileSync(`${program}.new`, 'new');
  const { replace, putBack } = replaceRunning(programFiles);
  replace(program);
  expect(text()).toBe('new');
  putBack(program);
  expect(text()).toBe('old');
  const failing = replaceRunning({
    ...programFiles,
    rename(from, to) {
      if (from.endsWith('.new')) throw new Error('the file is in use');
      programFiles.rename(from, to);
    },
  });
  expect(() => failing.replace(program)).toThrow('in use');
  expect(text()).toBe('old');
});

test.each(['zip', 'tar.gz'])('a program comes out of a %s as it went in', async (kind) => {
  const data = new Uint8Array(300_000).map((_, at) => (at * 7919) % 251);
  const entries = [
    { path: 'a/LICENSE', mode: 0o644, data: new TextEncoder().encode('x'.repeat(513)) },
    { path: 'a/hostler', mode: 0o755, data },
    { path: 'a/zz', mode: 0o644, data: new Uint8Array(3) },
  ];
  const directory = fs.mkdtempSync(path.join(scratch, 'archive-'));
  const archive = path.join(directory, 'packed');
  fs.writeFileSync(archive, kind === 'zip' ? zip(entries, { time: 0 }) : gzip(tar(entries, { time: 0 })));
  await extractProgram(archive, 'a/hostler', path.join(directory, 'out'));
  expect(fs.readFileSync(path.join(directory, 'out')).equals(Buffer.from(data))).toBe(true);
  await expect(extractProgram(archive, 'a/other', path.join(directory, 'none'))).rejects.toThrow('not in the archive');
  expect(fs.existsSync(path.join(directory, 'none'))).toBe(false);
});
