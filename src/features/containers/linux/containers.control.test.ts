import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type FakeEngine, fakeEngine, inspected, socketsOf } from '../../../../test/doubles/fake-engine.ts';
import { fakeActionContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { actionFor, perform } from '../../../../test/harness/perform.ts';
import type { ActionDefinition } from '../../../core/action.ts';
import { setPart } from '../../../core/part.ts';
import { createFiles } from '../../../host/linux/files.ts';
import { defaultSettings } from '../../index.ts';
import { containerActions } from '../containers.actions.ts';
import { createLogLines } from '../containers.log-lines.ts';
import { socketLookup } from './engine-sockets.ts';

const id = 'a1'.repeat(32);
const docker = '/var/run/docker.sock';
const podman = '/run/podman/podman.sock';
const exited = { Status: 'exited', Pid: 0, ExitCode: 0 };

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) fs.rmSync(root, { recursive: true, force: true });
});

interface Given {
  engines?: Parameters<typeof socketsOf>[0];
  allowlist?: string[];
  files?: Record<string, string>;
}

function machine({ engines = {}, allowlist = ['web'], files = {} }: Given) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-containers-'));
  roots.push(root);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  const { connectLocal, lookUp } = socketsOf(engines);
  const host = setPart(fakeHost({ connectLocal, files: createFiles({ all: root }) }), socketLookup, lookUp);
  const settings = () => ({ ...defaultSettings, containers: { allowlist, sockets: [] } });
  const { context } = fakeActionContext(host, { settings });
  const act = (event: string, input: unknown) =>
    perform(actionFor(containerActions as readonly ActionDefinition[], event), input, context);
  return { act, context, host };
}

/** An engine with the container web, in these states before and after an order. */
function engineWith(before: Record<string, unknown>, after: Record<string, unknown>, order: string, status = 204) {
  let ordered = false;
  const engine: FakeEngine & { connect: ReturnType<typeof fakeEngine>['connect'] } = fakeEngine({
    'GET /containers/web/json': () => ({ body: inspected(id, 'web', {}, before) }),
    [`GET /containers/${id}/json`]: () => ({ body: inspected(id, 'web', {}, ordered ? after : before) }),
    [`POST /containers/${id}/${order}`]: () => {
      ordered = true;
      return { status };
    },
  });
  return engine;
}

const posts = (engine: FakeEngine) => engine.requests.filter((request) => request.startsWith('POST'));

test.each([
  ['CONTAINER_START', 'start', exited, {}, 'running'],
  ['CONTAINER_STOP', 'stop', {}, exited, 'exited'],
  ['CONTAINER_RESTART', 'restart', {}, {}, 'running'],
  ['CONTAINER_PAUSE', 'pause', {}, { Status: 'paused' }, 'paused'],
  ['CONTAINER_RESUME', 'unpause', { Status: 'paused' }, {}, 'running'],
] as const)(
  '%s uses the id of the container and verifies the state afterwards',
  async (event, order, before, after, state) => {
    const engine = engineWith(before, after, order);
    const { act } = machine({ engines: { [docker]: engine } });
    expect(await act(event, { name: 'web' })).toEqual({ name: 'web', id, engine: 'docker', state, changed: true });
    expect(posts(engine)).toEqual([`POST /containers/${id}/${order}`]);
  },
);

test('an order that changes nothing reports changed: false', async () => {
  const engine = engineWith({}, {}, 'start', 304);
  const { act } = machine({ engines: { [docker]: engine } });
  expect(await act('CONTAINER_START', { name: 'web' })).toMatchObject({ changed: false, state: 'running' });
  expect(await act('CONTAINER_RESUME', { name: 'web' })).toMatchObject({ changed: false, state: 'running' });
  expect(posts(engine)).toHaveLength(1);
});

test.each([
  ['not in the allow-list', { name: 'db' }, 'is not in containers.allowlist'],
  ['a pattern', { name: 'w*' }, 'is not valid'],
  ['an id', { name: id }, 'is not in containers.allowlist'],
  ['a parent path', { name: '../web' }, 'is not valid'],
  ['an escaped parent path', { name: '%2e%2e%2fweb' }, 'is not valid'],
  ['a query', { name: 'web?force=1' }, 'is not valid'],
  ['control characters', { name: 'web\n' }, 'is not valid'],
  ['10,000 characters', { name: 'w'.repeat(10_000) }, 'must be at most 255 characters'],
  ['nothing', {}, 'name'],
  ['an unknown field', { name: 'web', force: true }, 'force'],
])('%s is refused with an explanation, without a request to an engine', async (_name, input, why) => {
  const engine = engineWith({}, exited, 'stop');
  const { act } = machine({ engines: { [docker]: engine } });
  await expect(act('CONTAINER_STOP', input)).rejects.toThrow(why);
  expect(engine.requests).toEqual([]);
});

test('with an empty allow-list every order is refused', async () => {
  const engine = engineWith({}, exited, 'stop');
  const { act, context } = machine({ engines: { [docker]: engine }, allowlist: [] });
  await expect(act('CONTAINER_STOP', { name: 'web' })).rejects.toThrow('is not in containers.allowlist');
  const stop = containerActions.find(({ name }) => name === 'container.stop');
  expect(await stop?.unavailable(context)).toContain('No container is allowed yet');
  expect(engine.requests).toEqual([]);
});

test('the prefix of an id, which engines accept, is not a name', async () => {
  const engine = fakeEngine({ 'GET /containers/a1/json': { body: inspected(id, 'web') } });
  const { act } = machine({ engines: { [docker]: engine }, allowlist: ['a1'] });
  await expect(act('CONTAINER_STOP', { name: 'a1' })).rejects.toThrow('There is no container "a1" in docker');
  expect(posts(engine)).toEqual([]);
});

test('a name that is the prefix of another id means the container with that name', async () => {
  const named = 'c3'.repeat(32);
  const engine = fakeEngine({
    'GET /containers/a1a1/json': { body: inspected(named, 'a1a1', {}, {}) },
    [`GET /containers/${named}/json`]: { body: inspected(named, 'a1a1', {}, exited) },
    [`POST /containers/${named}/stop`]: { status: 204 },
    [`GET /containers/${id}/json`]: { body: inspected(id, 'web') },
  });
  const { act } = machine({ engines: { [docker]: engine }, allowlist: ['a1a1'] });
  expect(await act('CONTAINER_STOP', { name: 'a1a1' })).toMatchObject({ id: named });
  expect(posts(engine)).toEqual([`POST /containers/${named}/stop`]);
});

test('a container that was recreated under the same name after the lookup is not touched', async () => {
  const engine = fakeEngine({
    'GET /containers/web/json': { body: inspected(id, 'web') },
    [`POST /containers/${id}/stop`]: { status: 404, body: { message: 'No such container' } },
  });
  const { act } = machine({ engines: { [docker]: engine } });
  await expect(act('CONTAINER_STOP', { name: 'web' })).rejects.toMatchObject({ code: 'not_found' });
  expect(posts(engine)).toEqual([`POST /containers/${id}/stop`]);
});

test('a name that two engines have is refused without an engine', async () => {
  const first = engineWith({}, exited, 'stop');
  const second = fakeEngine({
    'GET /version': { body: { Version: '4.3.1', Components: [{ Name: 'Podman Engine' }] } },
    'GET /containers/web/json': { body: inspected('b2'.repeat(32), 'web') },
  });
  const { act } = machine({ engines: { [docker]: first, [podman]: second } });
  await expect(act('CONTAINER_STOP', { name: 'web' })).rejects.toThrow('Both docker and podman have a container "web"');
  await expect(act('CONTAINER_STOP', { name: 'web', engine: 'lxc' })).rejects.toThrow('There is no engine "lxc" here');
  expect(await act('CONTAINER_STOP', { name: 'web', engine: 'docker' })).toMatchObject({ state: 'exited' });
  expect(posts(second)).toEqual([]);
});

test.each([
  ['stop', {}, 'The engine accepted the order, but "web" is running'],
  ['pause', {}, 'The engine accepted the order, but "web" is running'],
  ['start', { ...exited, ExitCode: 3 }, 'The engine accepted the order, but "web" is exited with exit code 3'],
] as const)('%s fails if the container is not in the ordered state afterwards', async (verb, after, why) => {
  const engine = engineWith(verb === 'start' ? exited : {}, after, verb);
  const { act } = machine({ engines: { [docker]: engine } });
  await expect(act(`CONTAINER_${verb.toUpperCase()}`, { name: 'web' })).rejects.toThrow(why);
});

test('the error message of the engine is passed on without control characters', async () => {
  const engine = engineWith({}, {}, 'x');
  engine.answers[`POST /containers/${id}/stop`] = { status: 500, body: { message: 'no\u001b[2J space\nleft' } };
  const { act } = machine({ engines: { [docker]: engine } });
  await expect(act('CONTAINER_STOP', { name: 'web' })).rejects.toThrow(
    '"web" could not be stopped: no\ufffd[2J space\ufffdleft',
  );
});

test('an unreachable engine and a missing engine are explained', async () => {
  const denied = {
    connect: async () => {
      throw Object.assign(new Error('connect'), { code: 'EACCES' });
    },
  };
  await expect(machine({ engines: { [docker]: denied } }).act('CONTAINER_STOP', { name: 'web' })).rejects.toThrow(
    'may not use /var/run/docker.sock',
  );
  await expect(machine({}).act('CONTAINER_STOP', { name: 'web' })).rejects.toThrow('No socket of Docker or Podman');
});

test.each([
  ['its control group', { 'proc/self/cgroup': `0::/system.slice/docker-${id}.scope\n` }],
  [
    'its mounts, where the group is hidden',
    {
      'proc/self/cgroup': '0::/\n',
      'proc/self/mountinfo': `99 1 8:1 /var/lib/docker/containers/${id}/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n`,
    },
  ],
])('the container that Hostler runs in is not stopped; it is identified by %s', async (_name, files) => {
  const engine = engineWith({}, exited, 'stop');
  const { act } = machine({ engines: { [docker]: engine }, files });
  for (const verb of ['STOP', 'RESTART', 'PAUSE'])
    await expect(act(`CONTAINER_${verb}`, { name: 'web' })).rejects.toThrow('that Hostler itself runs in');
  expect(posts(engine)).toEqual([]);
});

const frame = (stream: number, text: string) => {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(8);
  head[0] = stream;
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
};
const at = '2026-01-02T03:04:05.123456789Z';

test('logs need no allow-list entry and contain the last lines of both streams with their times', async () => {
  const engine = engineWith({}, {}, 'x');
  engine.answers[`GET /containers/${id}/logs?stdout=1&stderr=1&timestamps=1&tail=2`] = {
    body: Buffer.concat([frame(1, `${at} old\n`), frame(1, `${at} hello\n`), frame(2, `${at} oops\n`)]),
  };
  const { act } = machine({ engines: { [docker]: engine }, allowlist: [] });
  expect(await act('GET_CONTAINER_LOGS', { name: 'web', lines: '2' })).toEqual({
    name: 'web',
    id,
    engine: 'docker',
    lines: [
      { time: at, stream: 'stdout', text: 'hello' },
      { time: at, stream: 'stderr', text: 'oops' },
    ],
    truncated: false,
  });
  await expect(act('GET_CONTAINER_LOGS', { name: 'web', lines: 501 })).rejects.toThrow('lines');
  await expect(act('GET_CONTAINER_LOGS', { name: '../web' })).rejects.toThrow('is not valid');
});

test('an engine that cannot read logs is an error with its message', async () => {
  const engine = engineWith({}, {}, 'x');
  engine.answers[`GET /containers/${id}/logs?stdout=1&stderr=1&timestamps=1&tail=100`] = {
    status: 501,
    body: { message: 'configured logging driver does not support reading' },
  };
  const { act } = machine({ engines: { [docker]: engine } });
  await expect(act('GET_CONTAINER_LOGS', { name: 'web' })).rejects.toThrow(
    'The output of "web" cannot be read: configured logging driver does not support reading',
  );
});

test('frames are reassembled wherever they are split', () => {
  const all = Buffer.concat([frame(1, `${at} ä`), frame(2, `${at} err\n`), frame(1, 'ö\r\n'), frame(1, 'no time')]);
  for (let cut = 0; cut <= all.length; cut += 1) {
    const lines = createLogLines({ hasTerminal: false, most: 10 });
    lines.take(all.subarray(0, cut));
    lines.take(all.subarray(cut));
    expect(lines.end()).toEqual({
      lines: [
        { time: at, stream: 'stderr', text: 'err' },
        { time: at, stream: 'stdout', text: 'äö' },
        { time: '', stream: 'stdout', text: 'no time' },
      ],
      truncated: false,
    });
  }
});

test('endless lines and frames are cut', () => {
  const long = createLogLines({ hasTerminal: true, most: 3 });
  long.take(Buffer.from(`${at} ${'x'.repeat(10_000)}\nshort\n`));
  const { lines, truncated } = long.end();
  expect([lines[0]?.text.length, lines[1]?.text, truncated]).toEqual([4096, 'short', true]);
  const endless = createLogLines({ hasTerminal: false, most: 3 });
  const piece = frame(1, `${'y'.repeat(65_535)}\n`);
  let count = 0;
  while (endless.take(piece) === 'more') count += 1;
  expect(count).toBeLessThan(200);
  expect(endless.end()).toMatchObject({ lines: { length: 3 }, truncated: true });
  // A frame header of four gigabytes does not reserve memory.
  const lying = createLogLines({ hasTerminal: false, most: 3 });
  lying.take(Buffer.from([1, 0, 0, 0, 255, 255, 255, 255, 0x68, 0x69]));
  expect(lying.end().lines.map(({ text }) => text)).toEqual(['hi']);
});
