import { afterEach, expect, test } from 'bun:test';
import { fakeEngine, inspected, socketsOf } from '../../../../test/doubles/fake-engine.ts';
import { fakeContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import type { Source } from '../../../core/module.ts';
import { setPart } from '../../../core/part.ts';
import { createFiles } from '../../../host/linux/files.ts';
import { mostContainers } from '../containers.engine.ts';
import { containersLinux } from '../containers.linux.ts';
import type { Containers } from '../containers.schema.ts';
import { socketLookup } from './engine-sockets.ts';

const a = 'a1'.repeat(32);
const b = 'b2'.repeat(32);
const docker = '/var/run/docker.sock';
const podman = '/run/podman/podman.sock';
const exited = { Status: 'exited', Pid: 0, ExitCode: 3, FinishedAt: '2026-01-02T01:00:00Z' };
const sources: Source<Containers>[] = [];
afterEach(() => {
  for (const source of sources.splice(0)) source.close?.();
});

/** One container that has ended, so its counters are not read. */
const withOne = () =>
  fakeEngine({
    'GET /containers/json?all=1': { body: [{ Id: a }] },
    [`GET /containers/${a}/json`]: { body: inspected(a, 'web', {}, exited) },
  });

function start(engines: Parameters<typeof socketsOf>[0], passing = false) {
  const { connectLocal, lookUp } = socketsOf(engines);
  const host = setPart(fakeHost({ connectLocal, files: createFiles({ all: '/nowhere' }) }), socketLookup, lookUp);
  const source = containersLinux(host, fakeContext({ passing }));
  sources.push(source);
  /** Advances the clock only while the source waits for it. */
  const read = async () => {
    const { reasons, collected } = collectReasons();
    let payload: Containers | null = null;
    let done = false;
    const reading = Promise.resolve(source.read(reasons)).then((got) => {
      payload = got;
      done = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (done) break;
      host.clock.advanceToNext();
    }
    await reading;
    if (payload === null) throw new Error('nothing was read');
    return { ...(payload as Containers), reasons: collected };
  };
  return { host, source, read };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const event = (id: string, Action: string) => ({ Type: 'container', Action, Actor: { ID: id, Attributes: {} } });

test('everything is queried once; further requests follow only after an event', async () => {
  const engine = withOne();
  const { read } = start({ [docker]: engine });
  expect((await read()).containers.map(({ name }) => name)).toEqual(['web']);
  const before = engine.requests.length;
  await read();
  await read();
  expect(engine.requests.slice(before)).toEqual([]);
  expect(engine.followers()).toBe(1);
});

test('an event is announced, and only its container is inspected', async () => {
  const engine = withOne();
  const { read, source } = start({ [docker]: engine });
  await read();
  let changes = 0;
  const stop = source.watch?.(() => {
    changes += 1;
  });
  const before = engine.requests.length;
  engine.answers[`GET /containers/${b}/json`] = { body: inspected(b, 'new', {}, exited) };
  engine.emit(event(b, 'create'));
  expect(changes).toBe(1);
  expect((await read()).containers.map(({ name }) => name)).toEqual(['new', 'web']);
  expect(engine.requests.slice(before)).toEqual([`GET /containers/${b}/json`]);
  delete engine.answers[`GET /containers/${a}/json`];
  engine.emit(event(a, 'destroy'));
  expect((await read()).containers.map(({ name }) => name)).toEqual(['new']);
  stop?.();
});

test.each([
  event(a, 'exec_start: /bin/true'),
  event(a, 'attach'),
  event('../../x', 'die'),
  { Type: 'image', Action: 'create', Actor: { ID: a } },
  { Type: 'container', Action: { x: 1 } },
  null,
  'die',
])('%j causes neither a notification nor a request', async (sent) => {
  const engine = withOne();
  const { read, source } = start({ [docker]: engine });
  await read();
  let changes = 0;
  source.watch?.(() => {
    changes += 1;
  });
  const before = engine.requests.length;
  engine.emit(sent);
  await read();
  expect([changes, engine.requests.length - before]).toEqual([0, 0]);
});

test('everything is queried again after an engine restarted', async () => {
  const engine = withOne();
  const engines: Parameters<typeof socketsOf>[0] = { [docker]: engine };
  const { read, source, host } = start(engines);
  await read();
  let changes = 0;
  source.watch?.(() => {
    changes += 1;
  });
  engine.drop();
  await settle();
  expect(changes).toBe(1);
  engines[docker] = {
    connect: async () => {
      throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    },
  };
  const down = await read();
  expect(down).toMatchObject({ containers: [], engines: [{ reachable: false, version: '20.10.24' }] });
  expect(down.engines[0]?.problem).toContain('Nothing is listening');
  engines[docker] = engine;
  expect((await read()).engines[0]?.reachable).toBe(false);
  host.clock.advance(3001);
  expect(await read()).toMatchObject({ containers: [{ name: 'web' }], engines: [{ reachable: true, problem: null }] });
});

test('an engine that hangs does not delay the others', async () => {
  const hanging = fakeEngine({ 'GET /version': () => null });
  const { read, host } = start({ [docker]: hanging, [podman]: withOne() });
  const from = host.clock.monotonic();
  const { engines, containers } = await read();
  expect(host.clock.monotonic() - from).toBeLessThanOrEqual(1200);
  expect(containers.map(({ name }) => name)).toEqual(['web']);
  expect(engines.map(({ reachable }) => reachable)).toEqual([false, true]);
  // While the first request is open, the engine is neither queried nor waited for again.
  const later = host.clock.monotonic();
  expect((await read()).containers).toHaveLength(1);
  expect(host.clock.monotonic()).toBe(later);
  expect(hanging.requests.filter((request) => request === 'GET /version')).toHaveLength(1);
});

test('a slow engine is listed partially and announced when it is complete', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const engine = withOne();
  const slow: typeof engine.connect = async (file, events, peer) => {
    const socket = await engine.connect(file, events, peer);
    return {
      ...socket,
      send: (bytes) => {
        const isLast = Buffer.from(bytes).toString().includes(`/containers/${b}/json`);
        if (isLast) void promise.then(() => socket.send(bytes));
        else socket.send(bytes);
      },
    };
  };
  engine.answers['GET /containers/json?all=1'] = { body: [{ Id: a }, { Id: b }] };
  engine.answers[`GET /containers/${b}/json`] = { body: inspected(b, 'late', {}, exited) };
  const { read, source } = start({ [docker]: { connect: slow } });
  let changes = 0;
  source.watch?.(() => {
    changes += 1;
  });
  expect((await read()).containers.map(({ name }) => name)).toEqual(['web']);
  resolve();
  await settle();
  expect(changes).toBe(1);
  expect((await read()).containers.map(({ name }) => name)).toEqual(['late', 'web']);
});

test('without readers the events are unfollowed after a while and no timer remains', async () => {
  const engine = withOne();
  const { read, host, source } = start({ [docker]: engine });
  await read();
  host.clock.advance(69_000);
  expect(engine.followers()).toBe(1);
  host.clock.advance(2000);
  expect(engine.followers()).toBe(0);
  expect(host.clock.advanceToNext()).toBe(false);
  const stop = source.watch?.(() => {});
  await read();
  host.clock.advance(1_000_000);
  expect(engine.followers()).toBe(1);
  stop?.();
  host.clock.advance(71_000);
  expect([engine.followers(), host.clock.advanceToNext()]).toEqual([0, false]);
});

test('a one-shot read does not follow events', async () => {
  const engine = withOne();
  const { read, host } = start({ [docker]: engine }, true);
  expect((await read()).containers).toHaveLength(1);
  expect([engine.followers(), engine.requests.some((request) => request.includes('/events'))]).toEqual([0, false]);
  expect(host.clock.advanceToNext()).toBe(false);
});

test('two paths of one socket, and one engine at two sockets, list each container once', async () => {
  const engine = withOne();
  const { read } = start({
    [docker]: { kind: 'socket', path: podman },
    '/run/docker.sock': engine,
    [podman]: engine,
  });
  const { engines, containers } = await read();
  expect(containers).toHaveLength(1);
  expect(engines.map(({ id }) => id)).toEqual(['docker', 'docker-2']);
});

test('containers beyond the limit are counted but not listed', async () => {
  const ids = Array.from({ length: mostContainers + 7 }, (_, at) => at.toString(16).padStart(64, '0'));
  const engine = fakeEngine({
    'GET /containers/json?all=1': { body: ids.map((Id) => ({ Id })) },
    ...Object.fromEntries(
      ids.map((id) => [`GET /containers/${id}/json`, { body: inspected(id, `c${id.slice(-4)}`, {}, exited) }]),
    ),
  });
  const { read } = start({ [docker]: engine });
  const { containers, reasons } = await read();
  expect(containers).toHaveLength(mostContainers);
  expect(reasons.find(({ field }) => field === 'containers')?.reason).toBe(
    '7 more containers of docker are not listed',
  );
});

test('more pending events than the limit cause a complete listing', async () => {
  const engine = withOne();
  const { read } = start({ [docker]: engine });
  await read();
  const made = Array.from({ length: mostContainers + 200 }, (_, at) => at.toString(16).padStart(64, '0'));
  const before = engine.requests.length;
  for (const id of made) engine.emit(event(id, 'create'));
  expect((await read()).containers.map(({ name }) => name)).toEqual(['web']);
  const requests = engine.requests.slice(before);
  expect(requests).toContain('GET /containers/json?all=1');
  expect(requests.filter((each) => made.some((id) => each.includes(id)))).toEqual([]);
  expect(engine.followers()).toBe(1);
  // Events are followed again afterwards.
  const after = engine.requests.length;
  engine.answers[`GET /containers/${b}/json`] = { body: inspected(b, 'new', {}, exited) };
  engine.emit(event(b, 'create'));
  expect((await read()).containers.map(({ name }) => name)).toEqual(['new', 'web']);
  expect(engine.requests.slice(after)).toEqual([`GET /containers/${b}/json`]);
});

test('an engine that sends an endless line is disconnected', async () => {
  const engine = withOne();
  const { read, source } = start({ [docker]: engine });
  await read();
  let changes = 0;
  source.watch?.(() => {
    changes += 1;
  });
  engine.emit('x'.repeat(900_000));
  expect(engine.followers()).toBe(1);
  engine.emit({ Type: 'container', a: 'y'.repeat(1_100_000) });
  expect([engine.followers(), changes]).toEqual([1, 0]);
  engine.flood(1_200_000);
  await settle();
  expect([engine.followers(), changes]).toEqual([0, 1]);
});
