import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { fakeActionContext, fakeClock, fakeContext, fakeHost, noLaunch } from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import type { PausedControl } from '../../core/control-pause.ts';
import type { RunOptions } from '../../host/processes/process-group.ts';
import { playActions } from './play.actions.ts';
import { addressToPlay, isOwnAddress } from './play.target.ts';

const [say, cancel, play, stop] = playActions;

interface Given {
  programs?: string[];
  connectLocal?: ConnectLocal;
  context?: Partial<ActionContext>;
  home?: string;
  onFile?(): void;
}

const nothingListens: ConnectLocal = async () => {
  throw new Error('ECONNREFUSED');
};

/** Programs run until the test ends them. */
function machine({
  programs = ['espeak-ng', 'mpv'],
  connectLocal = nothingListens,
  context: given = {},
  home = '/home/anna',
  onFile = () => {},
}: Given = {}) {
  const clock = fakeClock();
  const runs: { program: string; args: string[]; options: RunOptions; finish(code: number, stderr?: string): void }[] =
    [];
  const [connected, removed]: [string[], string[]] = [[], []];
  const host = fakeHost({
    clock,
    foreignAddresses: async () => ['192.0.2.1'],
    async connect({ host: address }, events) {
      connected.push(address);
      const response = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nRIFF');
      return { send: () => events.data(response), close() {}, pause() {}, resume() {}, waiting: () => 0 };
    },
    scratch: {
      put(_bytes, extension) {
        onFile();
        return `/run/user/1000/1${extension}`;
      },
      remove: (file) => void removed.push(file),
      close() {},
    },
    connectLocal,
    environment: { variables: {}, home },
    contained: realContained(),
    storage: { read: () => null } as never,
    userDirectories: async () => new Map(),
    paths: { runtime: '/run/user/1000' } as never,
    launch: { ...noLaunch, find: (name: string) => (programs.includes(name) ? `/usr/bin/${name}` : null) },
    run: (program, args, options = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof host.run>>>();
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason));
      const finish = (exitCode: number, stderr = '') =>
        resolve({ exitCode, signal: null, stdout: '', stderr, truncated: false, timedOut: false });
      runs.push({ program, args, options, finish });
      return promise;
    },
  });
  const { context, close } = fakeActionContext(host, {
    read: async () => ({ payload: { sinks: [{ id: 'null.monitor' }] } }) as never,
    ...given,
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Bun.sleep(0);
  };
  /** Answers come when a program fails, or after a moment. */
  const order = async <T>(running: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    running.then(done, done);
    while (!isDone) {
      await settle();
      clock.advance(isDone ? 0 : 700);
    }
    return await running;
  };
  const as = (tokenId: string) => ({ ...context, caller: { ...context.caller, tokenId } });
  return { clock, runs, context, as, order, settle, close, connected, removed };
}

test('espeak-ng gets the text on standard input, and control characters become spaces', async () => {
  const { runs, context, order } = machine();
  const input = { text: 'one\u001b[2J\ntwo', language: 'en-GB', rate: 200, volume: 30 };
  expect(await order(say.run(input, context))).toEqual({
    message: 'espeak-ng is speaking',
    data: { by: 'espeak-ng', ahead: 0 },
  });
  expect(runs).toMatchObject([
    {
      program: '/usr/bin/espeak-ng',
      args: ['--stdin', '-b', '1', '-v', 'en-gb', '-s', '350', '-a', '30'],
      options: { input: 'one [2J two' },
    },
  ]);
});

test('texts wait for each other, a token has four, and all are cancelled together', async () => {
  const { runs, context, as, order, settle } = machine();
  for (const text of ['1', '2', '3', '4']) await order(say.run({ text }, context));
  await expect(order(say.run({ text: '5' }, context))).rejects.toMatchObject({ code: 'rate_limited' });
  expect((await order(say.run({ text: 'other' }, as('other')))).data.ahead).toBe(4);
  expect(runs).toHaveLength(1);
  runs[0]?.finish(0);
  await settle();
  expect(runs.map(({ options }) => options.input)).toEqual(['1', '2']);
  expect((await cancel.run({}, context)).data).toEqual({ ended: 4 });
  await settle();
  expect([runs.length, runs[1]?.options.signal?.aborted]).toEqual([2, true]);
  expect((await cancel.run({}, context)).data).toEqual({ ended: 0 });
});

test('a program that fails at once is an error of the order', async () => {
  const { runs, context, settle } = machine();
  const saying = say.run({ text: 'x', language: 'xx' }, context);
  saying.catch(() => {});
  while (runs.length === 0) await settle();
  runs[0]?.finish(1, 'Error: the specified espeak-ng voice does not exist.');
  await expect(saying).rejects.toMatchObject({ code: 'failed', message: expect.stringContaining('does not exist') });
});

test('what a revoked token began ends, and the service takes everything with it', async () => {
  const revoked = new Set<string>();
  const followers = new Set<() => void>();
  const { runs, as, order, settle, close, clock } = machine({
    context: {
      admits: ({ tokenId }) => !revoked.has(tokenId),
      onTokensChange(changed) {
        followers.add(changed);
        return () => void followers.delete(changed);
      },
    },
  });
  await order(say.run({ text: 'one' }, as('a')));
  await order(say.run({ text: 'two' }, as('b')));
  revoked.add('a');
  for (const follower of followers) follower();
  await settle();
  expect(runs.map(({ options }) => options.signal?.aborted)).toEqual([true, false]);
  // The expiry of a token is not announced.
  revoked.add('b');
  clock.advance(60_000);
  expect(runs[1]?.options.signal?.aborted).toBe(true);
  await order(play.run({ url: 'http://192.0.2.1/a.ogg' }, as('c')));
  await until(() => runs.length === 3, 'it plays');
  await close();
  expect([runs[2]?.options.signal?.aborted, followers.size]).toEqual([true, 0]);
});

function pausable() {
  const followers = new Set<() => void>();
  let paused: PausedControl | null = null;
  const set = (next: PausedControl | null) => {
    paused = next;
    for (const follower of followers) follower();
    return next !== null;
  };
  const controlPause: ActionContext['controlPause'] = {
    current: () => paused,
    pause(_seconds, by) {
      const next = { since: 0, until: null, by };
      set(next);
      return { paused: next, unsaved: null };
    },
    resume: () => set(null),
    onChange(changed) {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
  };
  return { controlPause, followers };
}

test('pausing control ends speech and playback, also what waits or is being fetched, and none begins during the pause', async () => {
  const { controlPause, followers } = pausable();
  const { runs, context, order, settle, close, removed } = machine({ context: { controlPause } });
  for (const text of ['1', '2']) await order(say.run({ text }, context));
  const playing = play.run({ url: 'http://192.0.2.1/a.ogg' }, context);
  controlPause.pause(null, 'phone');
  await expect(order(playing)).rejects.toMatchObject({ code: 'conflict' });
  runs[0]?.finish(0);
  await settle();
  expect(runs.map(({ options }) => [options.input, options.signal?.aborted])).toEqual([['1', true]]);
  expect(removed).toEqual([]);
  // The check before an action may have been passed right before the pause.
  await expect(order(say.run({ text: '3' }, context))).rejects.toMatchObject({ code: 'conflict' });
  controlPause.resume();
  await order(say.run({ text: '4' }, context));
  expect(runs.map(({ options }) => options.input)).toEqual(['1', '4']);
  await close();
  expect(followers.size).toBe(0);
});

test('a pause while the file is written starts no player, and the file is removed', async () => {
  const { controlPause } = pausable();
  const { runs, context, order, removed } = machine({
    context: { controlPause },
    onFile: () => controlPause.pause(null, 'phone'),
  });
  await expect(order(play.run({ url: 'http://192.0.2.1/a.ogg' }, context))).rejects.toThrow('Control was paused');
  expect([runs, removed]).toEqual([[], ['/run/user/1000/1.sound']]);
});

test('failures that a caller can cause fill the log with a few lines a minute', async () => {
  const warnings: string[] = [];
  const { runs, context, order, settle, clock } = machine({
    context: { log: { ...fakeContext().log, warn: (line) => void warnings.push(line) } },
  });
  for (let count = 1; count <= 30; count++) {
    const saying = order(say.run({ text: 'x', language: 'xx' }, context));
    saying.catch(() => {});
    await until(() => runs.length === count, 'it begins');
    runs.at(-1)?.finish(1, 'no such voice');
    await saying.catch(() => {});
    await settle();
  }
  expect(warnings).toHaveLength(5);
  clock.advance(60_000);
  expect(warnings).toHaveLength(6);
  expect(warnings.at(-1)).toBe('Speech failed 25 more times in this minute');
});

test('mpv gets what was fetched of an address, without network, with a volume and a known output; a second one replaces it', async () => {
  const { runs, context, order, settle, connected, removed } = machine();
  await order(play.run({ url: 'http://192.0.2.1/a b.ogg', volume: 40, output: 'null.monitor' }, context));
  await until(() => runs.length === 1, 'it plays');
  expect(connected).toEqual(['192.0.2.1']);
  expect(runs[0]?.program).toBe('/usr/bin/mpv');
  expect(runs[0]?.args.slice(-3)).toEqual(['--audio-device=pulse/null.monitor', '--', '/run/user/1000/1.sound']);
  expect(runs[0]?.args).toContain('--demuxer-lavf-o=protocol_whitelist=[data]');
  await order(play.run({ url: 'http://192.0.2.1/b.ogg' }, context));
  await until(() => runs.length === 2, 'the second one plays');
  expect(runs.map(({ options }) => options.signal?.aborted)).toEqual([true, false]);
  await expect(play.run({ url: 'http://192.0.2.1/', output: '--x' }, context)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect((await stop.run({}, context)).data).toEqual({ ended: 1 });
  await settle();
  expect(runs[1]?.options.signal?.aborted).toBe(true);
  expect(removed).toEqual(['/run/user/1000/1.sound', '/run/user/1000/1.sound']);
});

test('with the scope media alone an answer does not reveal which other files exist', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-play-'));
  try {
    for (const name of ['taxes.pdf', 'bell.mp3']) fs.writeFileSync(path.join(home, name), '');
    fs.mkdirSync(path.join(home, 'folder.mp3'));
    const { context, order } = machine({ home });
    const answerTo = (file: string, ...scopes: string[]) =>
      order(
        play.run(
          { path: `~/${file}` },
          { ...context, caller: { ...context.caller, scopes: new Set(scopes) as never } },
        ),
      ).then(
        ({ message }) => message,
        ({ message }) => message,
      );
    expect(await answerTo('bell.mp3', 'media')).toBe('mpv is playing');
    expect(await answerTo('taxes.pdf', 'media')).toBe(await answerTo('none.pdf', 'media'));
    expect(await answerTo('folder.mp3', 'media')).toBe(await answerTo('none.mp3', 'media'));
    expect(await answerTo('../../etc/none.mp3', 'media')).toBe(await answerTo('none.mp3', 'media'));
    expect(await answerTo('taxes.pdf', 'media', 'files')).toBe('mpv is playing');
    expect(await answerTo('none.pdf', 'media', 'files')).toContain('There is no such file in');
  } finally {
    fs.rmSync(home, { recursive: true });
  }
});

test('the error of a player does not reveal where a file is', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-play-'));
  try {
    fs.mkdirSync(path.join(home, 'hidden'));
    fs.writeFileSync(path.join(home, 'hidden', 'bell.mp3'), '');
    fs.symlinkSync('hidden/bell.mp3', path.join(home, 'bell.mp3'));
    const { runs, context, settle } = machine({ home, programs: ['ffplay'] });
    const playing = play.run({ path: '~/bell.mp3' }, context);
    playing.catch(() => {});
    while (runs.length === 0) await settle();
    runs[0]?.finish(1, `${runs[0].args.at(-1)}: Invalid data found`);
    await expect(playing).rejects.toThrow(/^ffplay could not play it: the file: Invalid data found$/);
    expect(runs[0]?.args.at(-1)).toContain('hidden');
  } finally {
    fs.rmSync(home, { recursive: true });
  }
});

test('nothing to play, nothing that plays and nothing that speaks have their reasons', async () => {
  const { context } = machine({ programs: [] });
  await expect(play.run({}, context)).rejects.toMatchObject({ code: 'invalid' });
  await expect(play.run({ url: 'http://192.0.2.1/' }, context)).rejects.toMatchObject({ code: 'unsupported' });
  expect(await play.unavailable(context)).toContain('install mpv');
  expect(await say.unavailable(context)).toContain('espeak-ng is not installed');
});

test.each([
  'file:///etc/passwd',
  'ftp://192.0.2.1/',
  'http://localhost:631/',
  'http://a.localhost/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://[::1]:9170/',
  'http://[::ffff:127.0.0.1]/',
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'http://0.0.0.0/',
  'https://anna:word@radio.example/live',
  'https://token@radio.example/live',
])('%s is not played', (url) => {
  expect(() => addressToPlay(url)).toThrow();
});

test('addresses of the network are played', () => {
  for (const url of ['http://192.168.1.5:8123/a.mp3', 'https://radio.example/live', 'http://[2001:db8::1]/'])
    expect(addressToPlay(url)).toBe(url);
});

test.each([
  ['127.0.1.1', true],
  ['::1', true],
  ['::', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:169.254.1.2', true],
  ['169.254.169.254', true],
  ['fe80::1%eth0', true],
  ['192.168.1.5', false],
  ['2001:db8::1', false],
  ['fd00::1', false],
])('a name that leads to %s is refused: %p', (address, isRefused) => {
  expect(isOwnAddress(address)).toBe(isRefused);
});

/** A speech-dispatcher that answers each line. */
function dispatcher(answers: (line: string) => string[]) {
  const lines: string[] = [];
  const opened: LocalSocketEvents[] = [];
  const connectLocal: ConnectLocal = async (socket, events, peer) => {
    if (!socket.endsWith('speechd.sock')) throw new Error('ECONNREFUSED');
    expect([socket, peer]).toEqual(['/run/user/1000/speech-dispatcher/speechd.sock', 'self']);
    opened.push(events);
    return {
      send(bytes) {
        for (const line of new TextDecoder().decode(bytes).split('\r\n').slice(0, -1)) {
          lines.push(line);
          for (const answer of answers(line)) events.data(new TextEncoder().encode(`${answer}\r\n`));
        }
      },
      close: () => {},
    };
  };
  return { lines, opened, connectLocal };
}

const usual = (line: string) => {
  if (line === 'SPEAK') return ['230 OK RECEIVING DATA'];
  if (line === '.') return ['225-21', '225 OK MESSAGE QUEUED'];
  return /^(SET|CANCEL) /.test(line) ? ['200 OK'] : [];
};

test('speech-dispatcher speaks where it runs, and the text is over with its event', async () => {
  const { lines, opened, connectLocal } = dispatcher(usual);
  const { context, order, runs, settle } = machine({ connectLocal });
  expect(
    (await order(say.run({ text: '.dot\r\n.\r\nSET', language: 'de', rate: 50, volume: 50 }, context))).data.by,
  ).toBe('speech-dispatcher');
  expect(lines).toEqual([
    'SET SELF CLIENT_NAME user:hostler:main',
    'SET SELF NOTIFICATION END ON',
    'SET SELF NOTIFICATION CANCEL ON',
    'SET SELF LANGUAGE de',
    'SET SELF RATE -50',
    'SET SELF VOLUME 0',
    'SPEAK',
    '..dot . SET',
    '.',
  ]);
  opened.at(-1)?.data(new TextEncoder().encode('702-21\r\n702-1\r\n702 END\r\n'));
  await settle();
  expect([(await cancel.run({}, context)).data, runs]).toEqual([{ ended: 0 }, []]);
});

test('a cancelled text is cancelled in speech-dispatcher, and an error of it is reported', async () => {
  const { lines, connectLocal } = dispatcher(usual);
  const { context, order, settle } = machine({ connectLocal });
  await order(say.run({ text: 'x' }, context));
  await cancel.run({}, context);
  await settle();
  expect(lines.at(-1)).toBe('CANCEL SELF');
  const broken = dispatcher((line) => (line === 'SPEAK' ? ['300 ERR INTERNAL'] : usual(line)));
  const other = machine({ connectLocal: broken.connectLocal });
  await expect(other.order(say.run({ text: 'x' }, other.context))).rejects.toMatchObject({
    message: 'speech-dispatcher could not say the text: 300 ERR INTERNAL',
  });
});
