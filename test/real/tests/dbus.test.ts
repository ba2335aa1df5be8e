import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { BusOptions } from '@hostler/dbus/bus.ts';
import type { Bus, Signal } from '@hostler/dbus/dbus.ts';
import { variant } from '@hostler/dbus/dbus.ts';
import dbusNative, { type MessageBus } from 'dbus-native';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { until } from '../../harness/until.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { halt } from '../harness/halt.ts';
import { needs } from '../harness/parts.ts';

setDefaultTimeout(60_000);

const daemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};
const object = { path: '/test/object', interface: 'test.Interface' };

describe.skipIf(!needs('dbus-daemon'))('a real bus', () => {
  let bus: PrivateBus;
  let ours: Bus;
  let reported: unknown[];
  const peers: MessageBus[] = [];

  beforeAll(async () => {
    bus = createPrivateBus();
    await bus.start();
  });
  afterAll(() => bus.remove());
  beforeEach(() => {
    reported = [];
    ours = connect(bus, { report: (error) => reported.push(error) });
  });
  afterEach(async () => {
    ours.close();
    for (const peer of peers.splice(0)) await peer.close();
  });

  test('a call returns its reply', async () => {
    const [names] = await ours.call({ ...daemon, member: 'ListNames' });
    expect(names).toContain('org.freedesktop.DBus');
    const [id] = await ours.call({ ...daemon, member: 'GetId' });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('errors keep their D-Bus name', async () => {
    const missingName = { ...daemon, signature: 's', body: ['test.missing'] };
    await expectError(
      ours.call({ ...missingName, member: 'GetNameOwner' }),
      'org.freedesktop.DBus.Error.NameHasNoOwner',
    );
    await expectError(ours.call({ ...daemon, member: 'NoSuchThing' }), 'org.freedesktop.DBus.Error.UnknownMethod');
    const missing = ours.call({ destination: 'test.missing', ...object, member: 'Ping' });
    await expectError(missing, 'org.freedesktop.DBus.Error.ServiceUnknown');
  });

  test('values survive a round trip', async () => {
    await offer('test.echo');
    const sent = {
      text: 'grüße',
      big: 2n ** 60n,
      small: variant('t', 5),
      bytes: new Uint8Array([0, 255]),
      list: ['a', 'b'],
      nested: { deeper: { yes: true } },
      ['__proto__']: { polluted: 1 },
    };
    const [back] = await ours.call({
      destination: 'test.echo',
      ...object,
      member: 'Echo',
      signature: 'v',
      body: [sent],
    });
    expect(Object.keys(back as object).sort()).toEqual([...Object.keys(sent)].sort());
    expect(back).toMatchObject({
      text: 'grüße',
      big: 2n ** 60n,
      small: 5,
      bytes: new Uint8Array([0, 255]),
      list: ['a', 'b'],
    });
    expect('polluted' in (back as object)).toBeFalse();
  });

  test('a peer that never answers costs only the timeout of the caller', async () => {
    await offer('test.mute');
    const call = { destination: 'test.mute', ...object, member: 'Mute' };
    await expectError(ours.call({ ...call, timeoutMs: 100 }), 'Client.Timeout');
    expect(await ours.call({ ...daemon, member: 'GetId' })).toHaveLength(1);
  });

  test('fifty first calls share one connection', async () => {
    const before = await uniqueNames();
    await Promise.all(Array.from({ length: 50 }, () => ours.call({ ...daemon, member: 'GetId' })));
    expect(await uniqueNames()).toBe(before + 1);
  });

  test('hostile names are refused before they could cost the connection', async () => {
    const before = await ourName();
    const hostile = [
      { destination: 'no dots' },
      { path: '/trailing/' },
      { interface: 'org..x' },
      { member: 'a.b' },
      { signature: 'a(', body: [[]] },
      { signature: 'a()', body: [[]] },
      { signature: 's', body: ['a\0b'] },
      { signature: 'o', body: ['../x'] },
      { signature: 's', body: ['x'.repeat(2 * 1024 * 1024)] },
    ];
    for (const part of hostile) await expectError(ours.call({ ...daemon, member: 'GetId', ...part }), 'Client.Invalid');
    const injection = ours.subscribe({ interface: "a.b',eavesdrop='true" }, () => {});
    await expectError(injection, 'Client.Invalid');
    expect(await ourName()).toBe(before);
  });

  test('signals reach only their subscribers', async () => {
    const peer = await offer('test.signals');
    const [all, one, other, quoted] = [[], [], [], []] as Signal[][] as [Signal[], Signal[], Signal[], Signal[]];
    await ours.subscribe({ interface: 'test.Interface' }, (signal) => all.push(signal));
    await ours.subscribe({ interface: 'test.Interface', member: 'One', pathNamespace: '/test' }, (s) => one.push(s));
    await ours.subscribe({ interface: 'test.Interface', path: '/elsewhere' }, (signal) => other.push(signal));
    await ours.subscribe({ interface: 'test.Interface', arg0: "it's" }, (signal) => quoted.push(signal));
    peer.sendSignal('/test/object', 'test.Interface', 'One', 'sa{sv}', ['first', [['a', ['x', 5n]]]]);
    peer.sendSignal('/test/object', 'test.Interface', 'Two', 's', ["it's"]);
    peer.sendSignal('/test/object', 'test.Unwanted', 'Two', 's', ["it's"]);
    await until(() => all.length === 2, 'two signals');
    expect(one).toEqual([{ sender: peer.name ?? '', ...object, member: 'One', body: ['first', { a: 5 }] }]);
    expect(quoted.map((signal) => signal.member)).toEqual(['Two']);
    expect(other).toEqual([]);
  });

  test('signals of a well-known name follow its owner', async () => {
    const got: string[] = [];
    const first = await offer('test.moving');
    const second = await join();
    await ours.subscribe({ sender: 'test.moving', interface: 'test.Interface' }, ({ body }) =>
      got.push(String(body[0])),
    );
    await ours.subscribe({ interface: 'test.Interface', member: 'Flush' }, () => got.push('flush'));
    const send = (peer: MessageBus, text: string) => peer.sendSignal('/a', 'test.Interface', 'Say', 's', [text]);
    send(first, 'first owns');
    send(second, 'second does not');
    await flush(second, got, 1);
    await first.releaseName('test.moving');
    await second.requestName('test.moving', 0);
    send(first, 'first does no more');
    await flush(first, got, 2);
    send(second, 'second owns');
    await until(() => got.includes('second owns'), 'a signal of the new owner');
    expect(got.filter((text) => text !== 'flush')).toEqual(['first owns', 'second owns']);
  });

  test('a match rule that several subscribers share is removed with the last of them', async () => {
    const peer = await offer('test.shared');
    const got: string[] = [];
    const match = { sender: 'test.shared', interface: 'test.Interface', member: 'Say' };
    const [stopFirst, stopSecond] = await Promise.all([
      ours.subscribe(match, () => got.push('first')),
      ours.subscribe({ ...match }, () => got.push('second')),
    ]);
    expect(await rulesOf(await ourName())).toBe(2);
    peer.sendSignal('/a', 'test.Interface', 'Say', '', []);
    await until(() => got.length === 2, 'both');
    stopFirst();
    stopFirst();
    peer.sendSignal('/a', 'test.Interface', 'Say', '', []);
    await until(() => got.length === 3, 'the second alone');
    expect(got).toEqual(['first', 'second', 'second']);
    stopSecond();
    expect(await rulesOf(await ourName())).toBe(0);
  });

  test('a stopped subscriber receives nothing more, not even the signal being delivered', async () => {
    const peer = await offer('test.stopping');
    const got: string[] = [];
    const stops: (() => void)[] = [];
    await ours.subscribe({ interface: 'test.Interface' }, ({ member }) => {
      got.push(member);
      for (const stop of stops) stop();
    });
    stops.push(await ours.subscribe({ interface: 'test.Interface' }, () => got.push('the other')));
    peer.sendSignal('/a', 'test.Interface', 'One', '', []);
    peer.sendSignal('/a', 'test.Interface', 'Two', '', []);
    await until(() => got.includes('Two'), 'both signals');
    expect(got).toEqual(['One', 'Two']);
  });

  test('a subscriber that throws does not affect others', async () => {
    const peer = await offer('test.signals');
    const got: string[] = [];
    await ours.subscribe({ interface: 'test.Interface' }, () => {
      throw new Error('thrown');
    });
    await ours.subscribe({ interface: 'test.Interface' }, async () => {
      throw new Error('rejected');
    });
    await ours.subscribe({ interface: 'test.Interface' }, ({ member }) => got.push(member));
    peer.sendSignal('/a', 'test.Interface', 'One', '', []);
    peer.sendSignal('/a', 'test.Interface', 'Two', '', []);
    await until(() => got.length === 2 && reported.length === 4, 'both signals and four reports');
    expect(reported.map((error) => (error as Error).message).sort()).toEqual([
      'rejected',
      'rejected',
      'thrown',
      'thrown',
    ]);
  });

  test('a method call to us is answered at once with an error', async () => {
    const peer = await join();
    const call = { destination: await ourName(), path: '/', interface: 'org.freedesktop.DBus.Peer', member: 'Ping' };
    await expect(Promise.resolve(peer.invoke(call))).rejects.toMatchObject({
      dbusName: 'org.freedesktop.DBus.Error.UnknownMethod',
    });
  });

  test('after a restart of the bus the subscriptions work again, and the restart is reported', async () => {
    const own = createPrivateBus();
    await own.start();
    const survivor = connect(own);
    try {
      await offer('test.restart', own);
      const got: unknown[] = [];
      let reconnected = 0;
      survivor.onReconnected(() => reconnected++);
      await survivor.subscribe({ sender: 'test.restart', interface: 'test.Interface' }, ({ body }) =>
        got.push(body[0]),
      );
      const stop = await survivor.subscribe({ interface: 'test.Stopped' }, () => got.push('stopped'));
      for (const round of [1, 2, 3]) {
        const inFlight = survivor.call({ destination: 'test.restart', ...object, member: 'Mute', timeoutMs: 60_000 });
        inFlight.catch(() => {});
        await survivor.call({ ...daemon, member: 'GetId' });
        await own.kill();
        await expectError(inFlight, 'Client.Disconnected');
        await expectError(survivor.call({ ...daemon, member: 'GetId' }), 'Client.NoBus');
        if (round === 2) stop();
        await own.start();
        // Another unique name than last time, which would hide that the owner was not resolved again.
        for (let count = 0; count < round; count++) await join(own);
        const peer = await offer('test.restart', own);
        await until(() => reconnected === round, 'the connection to come back');
        peer.sendSignal('/a', 'test.Stopped', 'Say', 's', ['unwanted']);
        peer.sendSignal('/a', 'test.Interface', 'Say', 's', [`round ${round}`]);
        await until(() => got.includes(`round ${round}`), 'a signal after the restart');
      }
      expect(got).toEqual(['stopped', 'round 1', 'round 2', 'round 3']);
      expect(reconnected).toBe(3);
    } finally {
      survivor.close();
      await own.remove();
    }
  });

  test('a bus that starts later is found by a later call', async () => {
    const later = createPrivateBus();
    const early = connect(later);
    try {
      await expectError(early.call({ ...daemon, member: 'GetId' }), 'Client.NoBus');
      await expectError(
        early.subscribe({ interface: 'test.Interface' }, () => {}),
        'Client.NoBus',
      );
      await later.start();
      await until(() => early.call({ ...daemon, member: 'GetId' }).then(isTrue, isFalse), 'the bus to be found');
      const got: string[] = [];
      await early.subscribe({ interface: 'test.Interface' }, ({ member }) => got.push(member));
      (await join(later)).sendSignal('/a', 'test.Interface', 'Late', '', []);
      await until(() => got.length === 1, 'a signal');
    } finally {
      early.close();
      await later.remove();
    }
  });

  test('a frozen bus costs only the timeout of the caller, also while connecting', async () => {
    const frozen = createPrivateBus();
    await frozen.start();
    const waiting = connect(frozen);
    try {
      await halt(frozen.pid());
      await expectError(waiting.call({ ...daemon, member: 'GetId', timeoutMs: 100 }), 'Client.Timeout');
      process.kill(frozen.pid(), 'SIGCONT');
      await until(() => waiting.call({ ...daemon, member: 'GetId' }).then(isTrue, isFalse), 'the bus to thaw');
    } finally {
      waiting.close();
      await frozen.remove();
    }
  });

  test('an idle bus connection is closed, and reopened silently', async () => {
    const peer = await offer('test.idle');
    const before = await uniqueNames();
    const brief = connect(bus, { idleMs: 50 });
    let reconnected = 0;
    brief.onReconnected(() => reconnected++);
    try {
      const got: string[] = [];
      await brief.call({ ...daemon, member: 'GetId' });
      await until(async () => (await uniqueNames()) === before, 'the bus to be left');
      const stop = await brief.subscribe({ sender: 'test.idle', interface: 'test.Interface' }, (s) =>
        got.push(s.member),
      );
      await new Promise((resolve) => setTimeout(resolve, 500));
      peer.sendSignal('/a', 'test.Interface', 'Say', '', []);
      await until(() => got.length === 1, 'a signal long after the last call');
      stop();
      await until(async () => (await uniqueNames()) === before, 'the bus to be left once more');
      const mute = brief.call({ destination: 'test.idle', ...object, member: 'Mute', timeoutMs: 500 });
      await expectError(mute, 'Client.Timeout');
      expect(reconnected).toBe(0);
    } finally {
      brief.close();
    }
  });

  test('a caller that waited for the bus can use it, however little time is left', async () => {
    const brief = connect(bus, { idleMs: 0 });
    try {
      for (let times = 0; times < 20; times++) expect(await brief.call({ ...daemon, member: 'GetId' })).toHaveLength(1);
    } finally {
      brief.close();
    }
  });

  test('close ends pending calls, leaves the bus, and is final', async () => {
    await offer('test.mute');
    const name = await ourName();
    const waiting = ours.call({ destination: 'test.mute', ...object, member: 'Mute', timeoutMs: 60_000 });
    waiting.catch(() => {});
    await ours.call({ ...daemon, member: 'GetId' });
    ours.close();
    ours.close();
    await expectError(waiting, 'Client.Disconnected');
    await expectError(ours.call({ ...daemon, member: 'GetId' }), 'Client.Disconnected');
    await expectError(
      ours.subscribe({ interface: 'test.Interface' }, () => {}),
      'Client.Disconnected',
    );
    const peer = await join();
    await until(async () => !(await peer.listNames()).includes(name), 'our name to leave the bus');
  });

  test('the client is loaded with the first call, and after close nothing keeps the process alive', async () => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'harness', 'dbus-exit.ts')], {
      env: { DBUS_SESSION_BUS_ADDRESS: bus.address },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    const [code] = await once(child, 'close');
    expect({ code, output }).toEqual({ code: 0, output: 'before: false\nafter: true\nclosed\n' });
  });

  /** A second, independent client. */
  async function join(on = bus): Promise<MessageBus> {
    const peer = dbusNative.createClient({ socket: on.socket, fdTransport: false });
    peer.connection.on('error', () => {});
    await peer.getId();
    peers.push(peer);
    return peer;
  }

  async function offer(name: string, on = bus): Promise<MessageBus> {
    const peer = await join(on);
    const methods = {
      Echo: (value: unknown) => value,
      Mute: () => new Promise(() => {}),
    };
    peer.connection.setValueShapes({ variants: 'wrap', plainValues: false });
    peer.exportInterface(methods, object.path, {
      name: object.interface,
      methods: { Echo: ['v', 'v', [], []], Mute: ['', 's', [], []] },
    });
    await peer.requestName(name, 0);
    return peer;
  }

  async function flush(peer: MessageBus, got: string[], times: number): Promise<void> {
    peer.sendSignal('/a', 'test.Interface', 'Flush', '', []);
    await until(() => got.filter((text) => text === 'flush').length === times, 'the flush');
  }

  async function ourName(): Promise<string> {
    const marker = `test.marker.m${crypto.randomUUID().replaceAll('-', '')}`;
    await ours.call({ ...daemon, member: 'RequestName', signature: 'su', body: [marker, 0] });
    const [name] = await ours.call({ ...daemon, member: 'GetNameOwner', signature: 's', body: [marker] });
    await ours.call({ ...daemon, member: 'ReleaseName', signature: 's', body: [marker] });
    return String(name);
  }

  async function uniqueNames(): Promise<number> {
    const peer = await join();
    const names = await peer.listNames();
    await peer.close();
    peers.pop();
    return names.filter((name) => name.startsWith(':')).length;
  }

  /** How many match rules the daemon holds for a connection. */
  async function rulesOf(name: string): Promise<number> {
    const call = { ...daemon, interface: 'org.freedesktop.DBus.Debug.Stats', member: 'GetConnectionStats' };
    const [stats] = await ours.call({ ...call, signature: 's', body: [name] });
    return Number((stats as Record<string, unknown>).MatchRules);
  }
});

function connect(bus: PrivateBus, options?: BusOptions): Bus {
  const variable = (name: string) => (name === 'DBUS_SESSION_BUS_ADDRESS' ? bus.address : null);
  return connectBuses({ variable }, options).session;
}

async function expectError(promise: Promise<unknown>, errorName: string): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name: 'BusError', errorName });
}

const isTrue = () => true;
const isFalse = () => false;
