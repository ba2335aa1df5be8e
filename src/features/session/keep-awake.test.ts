import { expect, test } from 'bun:test';
import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeBus, fakeClock, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import type { ActionContext } from '../../core/action.ts';
import { setPart } from '../../core/part.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { keepAwakeOf } from './keep-awake.ts';
import { keepAwakeWindows } from './keep-awake.windows.ts';
import { awakeDescriptorPart } from './linux/keep-awake.ts';
import { sessionPowerActions } from './session.power.actions.ts';

const [inhibit, uninhibit] = sessionPowerActions;

interface Given {
  refuses?: (what: string) => boolean;
  context?: Partial<ActionContext>;
}

/** A logind whose descriptors are counted. */
function machine({ refuses = () => false, context: given = {} }: Given = {}) {
  const clock = fakeClock();
  const held: { what: string; why: string }[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  const host = fakeHost({
    clock,
    dbus: { system: fakeBus({ 'org.freedesktop.DBus.Peer.Ping': () => [] }), session: noBus },
    onClose: (close) => void closers.push(close),
  });
  setPart(host, awakeDescriptorPart, async ({ body = [] }: BusCall) => {
    const [what, who, why, mode] = body.map(String);
    expect([who, mode]).toEqual(['Hostler', 'block']);
    if (refuses(String(what))) throw new BusError('org.freedesktop.DBus.Error.AccessDenied', 'Permission denied');
    const one = { what: String(what), why: String(why) };
    held.push(one);
    return () => void held.splice(held.indexOf(one), 1);
  });
  const { context } = fakeActionContext(host, given);
  const as = (tokenId: string) => ({ ...context, caller: { ...context.caller, tokenId, tokenName: tokenId } });
  const close = async () => {
    for (const each of closers) await each();
  };
  return { clock, held, context, as, close, current: () => keepAwakeOf(host).current(), host };
}

const input = { reason: 'A backup', seconds: 600 };

test('the machine is kept awake for the time, and listeners get both changes', async () => {
  const { clock, held, context, current, host } = machine();
  let changes = 0;
  keepAwakeOf(host).onChange(() => void changes++);
  const { data, message } = await inhibit.run(input, context);
  expect(data).toMatchObject({ id: 'awake-1', blocks: ['sleep', 'idle'] });
  expect(message).toStartWith('The machine is kept awake until ');
  expect(held).toEqual([{ what: 'sleep:idle', why: 'main: A backup' }]);
  expect(current()).toMatchObject([{ id: 'awake-1', reason: 'A backup', token: 'main' }]);
  clock.advance(599_000);
  expect(held).toHaveLength(1);
  clock.advance(2000);
  expect([held, current(), changes]).toEqual([[], [], 2]);
});

test('the same reason again renews the request, without a gap', async () => {
  const { clock, held, context, current } = machine();
  await inhibit.run(input, context);
  clock.advance(500_000);
  await inhibit.run(input, context);
  expect(held).toHaveLength(1);
  clock.advance(500_000);
  expect(current()).toHaveLength(1);
  clock.advance(101_000);
  expect(held).toEqual([]);
});

test('one is ended by its id, all without one or with no time, and an unknown one is not found', async () => {
  const { held, context, as } = machine();
  for (const reason of ['one', 'two', 'three']) await inhibit.run({ reason }, context);
  expect((await uninhibit.run({ id: 'awake-2' }, as('another'))).data).toEqual({ ended: 1 });
  expect(held.map(({ why }) => why)).toEqual(['main: one', 'main: three']);
  expect((await uninhibit.run({}, context)).data).toEqual({ ended: 2 });
  await inhibit.run(input, context);
  expect((await inhibit.run({ reason: 'x', seconds: 0 }, context)).data).toEqual({ id: null, until: null, blocks: [] });
  expect(held).toEqual([]);
  await expect(uninhibit.run({ id: 'awake-2' }, context)).rejects.toMatchObject({ code: 'not_found' });
});

test('a token has four, all together have sixteen', async () => {
  const { held, as } = machine();
  for (const token of ['a', 'b', 'c', 'd'])
    for (const reason of ['1', '2', '3', '4']) await inhibit.run({ reason }, as(token));
  expect(held).toHaveLength(16);
  const refusal = { code: 'rate_limited' };
  await expect(inhibit.run({ reason: '1' }, as('e'))).rejects.toMatchObject(refusal);
  await uninhibit.run({ id: 'awake-1' }, as('a'));
  await expect(inhibit.run({ reason: '5' }, as('b'))).rejects.toMatchObject(refusal);
  await inhibit.run({ reason: '1' }, as('e'));
  expect(held).toHaveLength(16);
});

test('it ends when its token is revoked, also when nothing announces that, and with the service', async () => {
  const revoked = new Set<string>();
  const followers = new Set<() => void>();
  const { clock, held, as, close } = machine({
    context: {
      admits: ({ tokenId }) => !revoked.has(tokenId),
      onTokensChange(changed) {
        followers.add(changed);
        return () => void followers.delete(changed);
      },
    },
  });
  for (const token of ['a', 'b', 'c']) await inhibit.run({ reason: token }, as(token));
  revoked.add('a');
  for (const follower of followers) follower();
  expect(held.map(({ why }) => why)).toEqual(['b: b', 'c: c']);
  revoked.add('b');
  clock.advance(60_000);
  expect(held.map(({ why }) => why)).toEqual(['c: c']);
  await close();
  expect([held.length, followers.size]).toEqual([0, 0]);
  await expect(inhibit.run(input, as('c'))).rejects.toMatchObject({ message: 'The service is ending' });
  expect(held).toEqual([]);
});

test('without a session at the machine only idleness is blocked, and the answer says so', async () => {
  const { held, context } = machine({ refuses: (what) => what === 'sleep:idle' });
  const { data, message } = await inhibit.run(input, context);
  expect(data.blocks).toEqual(['idle']);
  expect(message).toEndWith('; it can still be put to sleep');
  expect(held).toEqual([{ what: 'idle', why: 'main: A backup' }]);
  const forbidden = machine({ refuses: () => true });
  await expect(inhibit.run(input, forbidden.context)).rejects.toMatchObject({ code: 'forbidden' });
  expect(forbidden.current()).toEqual([]);
});

test('Windows is asked once for all requests', async () => {
  const calls: boolean[] = [];
  const kernel32 = { keepAwake: (on: boolean) => calls.push(on) > 0 };
  const control = keepAwakeWindows({ native: async () => ({ kernel32 }) } as unknown as WindowsHost);
  const [one, two] = [await control.hold('one'), await control.hold('two')];
  one.release();
  one.release();
  expect(calls).toEqual([true]);
  two.release();
  expect(calls).toEqual([true, false]);
});
