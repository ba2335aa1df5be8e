import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { fakeClock, fakeContext, fakeHost, noHistory } from '../../../test/doubles/fake-host.ts';
import { anyPlace, type FakeWire, fakeWire, herePeer, publishTo } from '../../../test/doubles/fake-wire.ts';
import type { Place } from '../../access/limits/admission-queue.ts';
import { budgets } from '../../access/limits/budgets.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { prepareJson } from '../../core/json/prepared-json.ts';
import { defineModule } from '../../core/module.ts';
import type { Feed } from '../../core/route-table.ts';
import type { Service } from '../../core/service.ts';
import { createStore } from '../../core/store.ts';
import { createSubscribers } from '../../core/subscribers.ts';
import { allScopes, defaultSettings } from '../../features/index.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createSharedTimers } from '../../lib/shared-timers.ts';
import { createLive } from './live.ts';
import type { SocketSession } from './session.ts';

/** A service with one module that counts its reads, and a transport with fake clients. */
function createTest({
  actions = [] as ActionDefinition[],
  feeds = new Map<string, Feed>(),
  unreadBytes = budgets.all.unreadBytes as number,
} = {}) {
  const clock = fakeClock();
  const settings = { ...defaultSettings, modules: { counter: { interval: 1000 } } };
  const context = fakeContext({ settings: () => settings });
  const wires: FakeWire[] = [];
  const soon: (() => void)[] = [];
  const revoked = new Set<string>();
  let tokensChanged = () => {};
  let reads = 0;
  const counter = defineModule<unknown>({
    name: 'counter',
    description: 'Counts',
    schema: () => Promise.reject(new Error('not needed')),
    everyMs: 1000,
    empty: null,
    sources: { linux: async () => () => ({ read: () => ({ count: ++reads }) }) },
  });
  const store = createStore({ modules: [counter], host: fakeHost({ clock }), context });
  const service: Service = {
    scopes: allScopes,
    version: '6.0.0',
    modules: [counter],
    store,
    actions,
    subscribers: createSubscribers(store, clock),
    history: noHistory,
    authorize([secret = ''], connection) {
      if (secret !== 'right') throw new ServiceError('unauthorized', 'no');
      return { tokenId: secret, tokenName: secret, scopes: new Set(allScopes), connection };
    },
    isKnownAddress: () => false,
    knows: ([secret]) => secret === 'right',
    identify: ([secret]) => (secret === 'right' ? { id: secret, name: secret } : null),
    admits: ({ tokenId }) => !revoked.has(tokenId),
    requireAdmitted: () => {},
    unavailable: async () => null,
    paused: () => null,
    controlPause: { current: () => null, onChange: () => () => {} },
    clients: { add: () => () => {}, list: async () => [] },
    onTokensChange(changed) {
      tokensChanged = changed;
      return () => {};
    },
    browsers: {} as Service['browsers'],
    files: {} as Service['files'],
    perform: async (action, input, caller, { notify, gone } = {}) =>
      await action.run(input, { caller, notify, signal: gone?.() } as Parameters<ActionDefinition['run']>[1]),
    keep: () => Promise.reject() as never,
    close: async () => {},
    tokens: { list: async () => [], create: () => Promise.reject() as never, revoke: () => Promise.reject() as never },
  };
  const live = createLive({
    unread: createUnreadBudget(unreadBytes),
    service,
    feeds,
    control: async () => null,
    log: context.log,
    publish: (topic, text, compress) => publishTo(wires)(topic, text, compress),
    clock,
    timers: createSharedTimers(clock),
    soon: (callback) => void soon.push(callback),
  });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    for (const callback of soon.splice(0)) callback();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return {
    clock,
    live,
    service,
    reads: () => reads,
    settle,
    revoke(tokenId: string) {
      revoked.add(tokenId);
      tokensChanged();
    },
    /** Without a notification. */
    letExpire: (tokenId: string) => void revoked.add(tokenId),
    connect(
      place: Place = anyPlace,
      peer = herePeer,
    ): {
      wire: FakeWire;
      session: SocketSession;
      say(event: string, data?: unknown): Promise<void>;
    } {
      const wire = fakeWire();
      wires.push(wire);
      const session = live.opened(wire, peer, place);
      return {
        wire,
        session,
        async say(event, data) {
          live.received(session, JSON.stringify({ token: 'right', id: event, event, data }));
          await settle();
        },
      };
    },
    async tick(ms: number) {
      clock.advance(ms);
      await settle();
    },
  };
}

const typesOf = ({ received }: FakeWire) => received.map((text) => JSON.parse(text).type);
const countsOf = ({ received }: FakeWire) =>
  received.map((text) => JSON.parse(text)).flatMap(({ type, data }) => (type === 'DATA_UPDATE' ? [data.count] : []));
const counter = { modules: ['counter'] };

test('what outlived its connection goes to the other ones of its token, as an event where they listen to entities', async () => {
  const feed: Feed = {
    listen: () => () => {},
    variant: () => '',
    get: () => Promise.reject(new ServiceError('not_found', 'none yet')),
  };
  const { connect, live } = createTest({ feeds: new Map([['entities', feed]]) });
  const [plain, thin, unknown] = [connect(), connect(), connect()];
  await plain.say('REGISTER_DATA_LISTENER', counter);
  await thin.say('REGISTER_DATA_LISTENER', { modules: ['entities'] });
  const data = { id: 1, command: 'yes' };
  const event = { key: 'notification', type: 'pressed', data };
  const message = { type: 'NOTIFICATION_ACTION', data };
  expect(live.deliver('another', message, event)).toBe(false);
  expect(live.deliver('right', message, event)).toBe(true);
  const lastOf = ({ wire }: { wire: FakeWire }) => JSON.parse(wire.received.at(-1) ?? 'null');
  expect(lastOf(plain)).toMatchObject(message);
  expect(lastOf(thin)).toMatchObject({ type: 'ENTITY_EVENT', data: event });
  expect(unknown.wire.received).toEqual([]);
  live.closed(plain.session);
  live.closed(thin.session);
  expect(live.deliver('right', message, event)).toBe(false);
});

describe('listeners', () => {
  test('of one module share each read and one text', async () => {
    const { connect, tick, reads } = createTest();
    const clients = [connect(), connect(), connect()];
    for (const client of clients) await client.say('REGISTER_DATA_LISTENER', counter);
    const before = reads();
    await tick(1000);
    expect(reads()).toBe(before + 1);
    const last = clients.map(({ wire }) => wire.received.at(-1));
    expect(new Set(last).size).toBe(1);
    expect(countsOf(clients[0]?.wire ?? fakeWire()).at(-1)).toBe(before + 1);
  });

  test('get updates at the interval they name, for all modules or by module; another registration replaces it', async () => {
    const { connect, tick, reads } = createTest();
    const [usual, often, byName] = [connect(), connect(), connect()];
    await usual.say('REGISTER_DATA_LISTENER', counter);
    await often.say('REGISTER_DATA_LISTENER', { ...counter, interval: 260 });
    await byName.say('REGISTER_DATA_LISTENER', { ...counter, interval: { counter: 3000, other: 250, none: null } });
    const clients = [usual, often, byName];
    const updates = () => clients.map(({ wire }) => countsOf(wire).length);
    expect(JSON.parse(often.wire.received[0] ?? '').data).toEqual({ ...counter, interval: 260 });
    for (let passed = 0; passed < 6000; passed += 250) await tick(250);
    // Each got the current payload first. 260 is rounded up to 500.
    expect(updates()).toEqual([1 + 6, 1 + 12, 1 + 2]);
    expect(reads()).toBe(1 + 12);
    await often.say('REGISTER_DATA_LISTENER', { ...counter, interval: null });
    for (let passed = 0; passed < 3000; passed += 250) await tick(250);
    expect(updates()).toEqual([7 + 3, 14 + 3, 3 + 1]);
  });

  test('with an invalid interval are refused', async () => {
    const { connect } = createTest();
    for (const interval of [249, 86_400_001, '1000', [1000], { counter: 0 }, { counter: 'often' }]) {
      const { wire, say } = connect();
      await say('REGISTER_DATA_LISTENER', { ...counter, interval });
      expect(wire.received.map((text) => JSON.parse(text).subtype)).toEqual(['BAD_REQUEST']);
    }
  });

  test('after the last listener has left, nothing is read', async () => {
    const { connect, tick, reads, live } = createTest();
    const client = connect();
    await client.say('REGISTER_DATA_LISTENER', counter);
    live.closed(client.session);
    const before = reads();
    await tick(10_000);
    expect(reads()).toBe(before);
  });

  test('one that stops reading is served individually, gets the newest update when it reads again, and rejoins the topic', async () => {
    const { connect, tick, live, settle } = createTest();
    const [slow, quick] = [connect(), connect()];
    for (const client of [slow, quick]) await client.say('REGISTER_DATA_LISTENER', counter);
    slow.wire.stall();
    for (let second = 0; second < 20; second++) await tick(1000);
    expect(slow.wire.topics.size).toBe(0);
    const held = slow.wire.getBufferedAmount();
    expect(held).toBeLessThan(2 * (quick.wire.received.at(-1)?.length ?? 0));
    const newest = countsOf(quick.wire).at(-1);
    slow.wire.unstall();
    live.drained(slow.session);
    await settle();
    expect(countsOf(slow.wire).at(-1)).toBe(newest);
    expect(countsOf(slow.wire).length).toBeLessThan(5);
    await tick(1000);
    expect(slow.wire.topics).toEqual(new Set(['counter']));
    expect(countsOf(slow.wire).at(-1)).toBe(countsOf(quick.wire).at(-1));
    await tick(1000);
    expect(countsOf(slow.wire).at(-1)).toBe(countsOf(quick.wire).at(-1));
  });

  test('are subscribers of the service, and pending updates are delivered', async () => {
    const { connect, service, live } = createTest();
    const client = connect();
    expect(service.subscribers.count()).toBe(0);
    await client.say('REGISTER_DATA_LISTENER', counter);
    expect(service.subscribers.count()).toBe(1);
    const before = countsOf(client.wire).length;
    await service.subscribers.refresh(1000);
    expect(countsOf(client.wire).length).toBe(before + 1);
    live.closed(client.session);
    expect(service.subscribers.count()).toBe(0);
  });
});

describe('timeouts', () => {
  test('a connection without a token closes after 10 s, one with a token stays open', async () => {
    const { connect, tick } = createTest();
    const [silent, known] = [connect(), connect()];
    await known.say('GET_DATA', { modules: [] });
    await tick(9000);
    expect(silent.wire.closedWith).toBeNull();
    await tick(2000);
    expect(silent.wire.closedWith).toMatchObject({ code: 1008 });
    expect(known.wire.closedWith).toBeNull();
  });

  test('a silent client is pinged every 30 s, and dropped without a response for 75 s', async () => {
    const { connect, tick, live } = createTest();
    const [dead, alive, silent] = [connect(), connect(), connect()];
    for (const client of [dead, alive, silent]) await client.say('GET_DATA', { modules: [] });
    let answered = 0;
    const answer = () => {
      if (silent.wire.pings === answered) return;
      answered = silent.wire.pings;
      live.ponged(silent.session);
    };
    for (let second = 1; second <= 74; second++) {
      await tick(1000);
      live.ponged(alive.session);
      answer();
    }
    expect(dead.wire.closedWith).toBeNull();
    expect([dead.wire.pings, alive.wire.pings]).toEqual([1, 0]);
    for (let second = 0; second < 17; second++) {
      await tick(1000);
      live.ponged(alive.session);
      answer();
    }
    expect(dead.wire.closedWith).toBe('terminated');
    expect([alive.wire.closedWith, silent.wire.closedWith]).toEqual([null, null]);
    expect(silent.wire.pings).toBe(3);
  });

  test('a client that pings the service itself gets no pings, and is dropped once it is silent', async () => {
    const { connect, tick, live } = createTest();
    const { say, session, wire } = connect();
    await say('GET_DATA', { modules: [] });
    for (let second = 1; second <= 300; second++) {
      await tick(1000);
      if (second % 10 === 0) live.pinged(session);
    }
    expect([wire.pings, wire.closedWith]).toEqual([0, null]);
    for (let second = 0; second < 91; second++) await tick(1000);
    expect([wire.pings > 0, wire.closedWith]).toEqual([true, 'terminated']);
  });

  test('unauthenticated connections are limited: the next one waits until another shows a token or times out', async () => {
    const { connect, tick, live } = createTest();
    const enter = () => live.enter('192.0.2.7', () => new AbortController().signal, false);
    const places = Array.from({ length: 300 }, enter);
    const inside = places.flatMap((place) => (place === null || place instanceof Promise ? [] : [place]));
    expect(inside.length).toBe(budgets.unauthenticated.places / 2);
    const waiting = budgets.unauthenticated.waiting.most / 2;
    expect(places.filter((place) => place === null).length).toBe(300 - inside.length - waiting);
    let admitted = 0;
    for (const place of places) if (place instanceof Promise) void place.then((given) => given && admitted++);
    const [known, ...silent] = inside.map((place) => connect(place));
    await known?.say('GET_DATA', { modules: [] });
    expect(admitted).toBe(1);
    await tick(1500);
    expect(admitted).toBe(inside.length);
    expect(silent.every(({ wire }) => wire.closedWith !== null)).toBe(true);
    expect(known?.wire.closedWith).toBeNull();
  });

  test('a client that sends many messages without a token is closed, and its next connections are refused', async () => {
    const { connect, live, tick } = createTest();
    const enter = () => live.enter(herePeer.address, () => new AbortController().signal, false);
    const talker = connect();
    for (let count = 0; count <= budgets.unauthenticated.messages; count++) {
      live.received(talker.session, JSON.stringify({ token: 'wrong', id: 'a', event: 'GET_DATA' }));
    }
    expect(talker.wire.closedWith).toMatchObject({ code: 1008 });
    for (let count = 0; count < budgets.unauthenticated.wasted.burst; count++) {
      const { session } = connect();
      live.received(session, 'x'.repeat(1_000_000));
    }
    expect(enter()).toBeNull();
    await tick(1000);
    expect(enter()).not.toBeNull();
  });

  test('a binary frame ends its connection', () => {
    const { connect, live } = createTest();
    const binary = connect();
    live.received(binary.session, new Uint8Array(1_000_000));
    expect(binary.wire.closedWith).toMatchObject({ code: 1003 });
  });

  test('clients that disconnect with a valid token are not penalised; those that showed none are, even without a message', async () => {
    const { connect, live } = createTest();
    const enter = () => live.enter(herePeer.address, () => new AbortController().signal, false);
    for (let count = 0; count < 2 * budgets.unauthenticated.wasted.burst; count++) {
      const known = connect();
      await known.say('GET_DATA', { modules: [] });
      live.closed(known.session);
    }
    expect(enter()).not.toBeNull();
    for (let count = 0; count < budgets.unauthenticated.wasted.burst; count++) live.closed(connect().session);
    expect(enter()).toBeNull();
  });

  test.each(['pinged', 'ponged'] as const)('before a token, control frames count like messages: %s', (event) => {
    const { connect, live } = createTest();
    const { wire, session } = connect();
    live.received(session, JSON.stringify({ token: 'wrong', id: 'a', event: 'GET_DATA' }));
    for (let count = 1; count < budgets.unauthenticated.messages; count++) live[event](session);
    expect(wire.closedWith).toBeNull();
    live[event](session);
    expect(wire.closedWith).toBe('terminated');
  });

  test.each(['pinged', 'ponged'] as const)('with a token, control frames are limited per second: %s', async (event) => {
    const { connect, live, tick } = createTest();
    const { wire, session, say } = connect();
    await say('GET_DATA', { modules: [] });
    for (let second = 0; second < 5; second++) {
      for (let count = 0; count < budgets.caller.controlFrames; count++) live[event](session);
      await tick(1000);
    }
    expect(wire.closedWith).toBeNull();
    for (let count = 0; count <= budgets.caller.controlFrames; count++) live[event](session);
    expect(wire.closedWith).toBe('terminated');
  });

  test('the pong to a ping of ours does not count', async () => {
    const { connect, live, tick } = createTest();
    const { wire, session, say } = connect();
    await say('GET_DATA', { modules: [] });
    while (wire.pings === 0) await tick(1000);
    for (let count = 0; count <= budgets.caller.controlFrames; count++) live.ponged(session);
    expect(wire.closedWith).toBeNull();
    live.ponged(session);
    expect(wire.closedWith).toBe('terminated');
  });

  test('a client with a valid token in its upgrade request needs no place, and counts for its token', async () => {
    const { connect, live, tick, service } = createTest();
    const caller = service.authorize(['right'], () => herePeer);
    const enter = (isAuthenticated: boolean) =>
      live.enter('192.0.2.7', () => new AbortController().signal, isAuthenticated);
    for (let count = 0; count < 1000; count++) enter(false);
    expect(enter(false)).toBeNull();
    expect(enter(true)).not.toBeInstanceOf(Promise);
    expect(enter(true)).not.toBeNull();
    const silent = connect(anyPlace, { ...herePeer, caller });
    await tick(budgets.unauthenticated.tokenWithinMs + 1000);
    expect(silent.wire.closedWith).toBeNull();
    const others = Array.from({ length: budgets.caller.sockets }, () => connect(anyPlace, { ...herePeer, caller }));
    expect(others.filter(({ wire }) => wire.closedWith !== null).length).toBe(1);
  });

  test('connections per token are limited', async () => {
    const { connect } = createTest();
    const clients = Array.from({ length: budgets.caller.sockets + 1 }, () => connect());
    for (const client of clients) await client.say('UNREGISTER_DATA_LISTENER');
    expect(clients.map(({ wire }) => wire.closedWith).filter((how) => how !== null)).toEqual([
      { code: 1013, reason: 'too many connections with this token' },
    ]);
  });

  test('no timer runs without connections', async () => {
    const { connect, clock, live } = createTest();
    live.closed(connect().session);
    expect(clock.advanceToNext()).toBe(false);
  });
});

test('an expired browser session closes its connections without a notification', async () => {
  const { connect, letExpire, clock, tick } = createTest();
  const client = connect();
  await client.say('REGISTER_DATA_LISTENER', counter);
  letExpire('right');
  for (let seconds = 0; seconds < 30; seconds += 5) {
    client.session.lastSeenAt = clock.monotonic();
    await tick(5000);
  }
  expect(client.wire.closedWith).toEqual({ code: 1008, reason: 'the token was revoked, or may do less' });
});

test('a revoked token closes its connections', async () => {
  const { connect, revoke, service } = createTest();
  const client = connect();
  await client.say('REGISTER_DATA_LISTENER', counter);
  revoke('right');
  expect(client.wire.closedWith).toEqual({ code: 1008, reason: 'the token was revoked, or may do less' });
  expect(service.subscribers.count()).toBe(0);
});

describe('actions', () => {
  const action = (run: ActionDefinition['run']): ActionDefinition => ({
    name: 'test.it',
    description: '',
    input: () => Promise.reject(new Error('not needed')),
    output: () => Promise.reject(new Error('not needed')),
    scopes: ['control'],
    effect: 'write',
    example: {},
    wire: { event: 'TEST_IT', reply: 'TESTED', aliases: [{ event: 'OLD_TEST', reply: 'OLD_TESTED' }] },
    unavailable: async () => null,
    run,
  });

  test('are found by their event and their aliases, each with its own reply', async () => {
    const { connect } = createTest({ actions: [action(async (data) => ({ message: '', data }))] });
    const client = connect();
    await client.say('TEST_IT', { a: 1 });
    await client.say('OLD_TEST', { a: 2 });
    expect(client.wire.received.map((text) => JSON.parse(text))).toEqual([
      { id: 'TEST_IT', type: 'TESTED', subtype: 'NONE', data: { a: 1 } },
      { id: 'OLD_TEST', type: 'OLD_TESTED', subtype: 'NONE', data: { a: 2 } },
    ]);
  });

  test('send progress and the reply under the id of the request', async () => {
    let later = () => {};
    const run: ActionDefinition['run'] = async (_input, { notify }) => {
      notify('TESTING', { step: 1 });
      later = () => notify('TEST_NEWS', null);
      return { message: 'It was tested.', data: null };
    };
    const { connect } = createTest({ actions: [action(run)] });
    const client = connect();
    await client.say('TEST_IT');
    later();
    expect(typesOf(client.wire)).toEqual(['TESTING', 'TESTED', 'TEST_NEWS']);
    expect(new Set(client.wire.received.map((text) => JSON.parse(text).id))).toEqual(new Set(['TEST_IT']));
  });

  test('are cancelled when their connection closes', async () => {
    const reasons: unknown[] = [];
    const run: ActionDefinition['run'] = async (_input, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.aborted));
      return await new Promise(() => {});
    };
    const { live, connect } = createTest({ actions: [action(run)] });
    const client = connect();
    await client.say('TEST_IT');
    expect(reasons).toEqual([]);
    live.closed(client.session);
    expect(reasons).toEqual([true]);
  });

  test('with long answers are answered one at a time to a client that does not read', async () => {
    const long = 'x'.repeat(2 * 1024 * 1024);
    const { connect, live, settle } = createTest({ actions: [action(async () => ({ message: '', data: long }))] });
    const client = connect();
    client.wire.stall();
    for (let count = 0; count < 3; count++)
      live.received(client.session, JSON.stringify({ token: 'right', event: 'TEST_IT' }));
    await settle();
    client.wire.unstall();
    live.drained(client.session);
    const kinds = client.wire.received.map((text) => JSON.parse(text)).map(({ type, subtype }) => [type, subtype]);
    expect(kinds).toEqual([
      ['TESTED', 'NONE'],
      ['ERROR', 'RATE_LIMITED'],
      ['ERROR', 'RATE_LIMITED'],
    ]);
    await settle();
    await client.say('TEST_IT');
    expect(typesOf(client.wire).at(-1)).toBe('TESTED');
  });

  test('that the clients of a token do not read are limited together', async () => {
    const data = 'x'.repeat(300);
    const { connect, live } = createTest({ actions: [action(async () => ({ message: '', data }))], unreadBytes: 4000 });
    const ask = async (times: number) => {
      const client = connect();
      client.wire.stall();
      for (let count = 0; count < times; count++) await client.say('TEST_IT');
      return client;
    };
    const clients = [await ask(3), await ask(3)];
    expect(clients.map(({ wire }) => wire.closedWith)).toEqual([null, 'terminated']);
    for (const { session } of clients) live.closed(session);
    expect((await ask(3)).wire.closedWith).toBeNull();
  });

  test('with a long list copy no part of it while a long answer is unread', async () => {
    const entries = Array.from({ length: 101 }, () => ({ text: 'x'.repeat(20_000) }));
    const list = await prepareJson(fakeClock(), entries);
    let copied = 0;
    const output: ActionDefinition['output'] = async () => {
      copied++;
      return z.array(z.object({ text: z.string() }));
    };
    const listing = { ...action(async () => ({ message: '', data: list })), effect: 'read' as const, output };
    const { connect, live, settle } = createTest({ actions: [listing] });
    const client = connect();
    client.wire.stall();
    for (const data of [{}, { limit: 100 }, { fields: ['text'] }])
      live.received(client.session, JSON.stringify({ token: 'right', event: 'TEST_IT', data }));
    await settle();
    client.wire.unstall();
    live.drained(client.session);
    expect([copied, ...typesOf(client.wire)]).toEqual([0, 'TESTED', 'ERROR', 'ERROR']);
    await settle();
    await client.say('TEST_IT', { limit: 100 });
    expect([copied, typesOf(client.wire).at(-1)]).toEqual([1, 'TESTED']);
  });

  test('with unexpected errors do not reveal the cause', async () => {
    const { connect } = createTest({ actions: [action(async () => Promise.reject(new Error('/secret/path')))] });
    const client = connect();
    await client.say('TEST_IT');
    expect(JSON.parse(client.wire.received[0] ?? '')).toMatchObject({ type: 'ERROR', subtype: 'FAILED' });
    expect(client.wire.received[0]).not.toContain('secret');
  });

  test('beyond 64 at the same time are refused with a message', async () => {
    const { connect, settle } = createTest({ actions: [action(() => new Promise(() => {}))] });
    const client = connect();
    for (let count = 0; count < 70; count++) await client.say('TEST_IT');
    await settle();
    expect(client.wire.received.map((text) => JSON.parse(text).subtype)).toEqual(Array(6).fill('RATE_LIMITED'));
    await client.say('GET_DATA', { modules: [] });
    expect(typesOf(client.wire).at(-1)).toBe('DATA_GET');
  });
});
