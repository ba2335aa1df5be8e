import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { allScopes } from '../features/index.ts';
import { brokerId, type Caller, commandLineId } from './caller.ts';
import { createCancellations } from './cancellation.ts';

const callerWith = (tokenId: string): Caller => ({
  tokenId,
  tokenName: tokenId,
  scopes: new Set(allScopes),
  connection: () => ({ address: '127.0.0.1', forwarded: false, isOurUser: async () => true }),
});

function machine(valid: string[]) {
  const clock = fakeClock();
  const good = new Set(valid);
  const followers = new Set<() => void>();
  let checks = 0;
  const tokens = {
    admits({ tokenId }: Pick<Caller, 'tokenId'>) {
      checks += 1;
      return good.has(tokenId);
    },
    follow(changed: () => void) {
      followers.add(changed);
      return () => void followers.delete(changed);
    },
  };
  const revoke = (id: string) => {
    good.delete(id);
    for (const changed of [...followers]) changed();
  };
  return { clock, followers, revoke, good, checks: () => checks, begin: createCancellations(tokens, clock) };
}

test('an action that does not use its signal costs no watch, and one that ends soon costs little', () => {
  const { begin, clock, followers, checks } = machine(['a']);
  let asked = 0;
  const gone = () => {
    asked += 1;
    return new AbortController().signal;
  };
  begin(callerWith('a'), { gone }).end();
  expect(asked).toBe(0);
  const short = begin(callerWith('a'), { gone });
  expect(short.signal.aborted).toBe(false);
  short.end();
  clock.advance(10_000);
  expect({ asked, checks: checks(), followers: followers.size }).toEqual({ asked: 1, checks: 0, followers: 0 });
});

test('a closed connection stops the action, but not an order', () => {
  const { begin } = machine(['a']);
  const connection = new AbortController();
  const { signal, orderSignal } = begin(callerWith('a'), { gone: () => connection.signal });
  connection.abort();
  expect(signal.reason).toMatchObject({ code: 'failed', message: expect.stringContaining('connection') });
  expect(orderSignal.aborted).toBe(false);
});

test('a connection that was closed before stops the action at once', () => {
  const { begin } = machine(['a']);
  expect(begin(callerWith('a'), { gone: () => AbortSignal.abort() }).signal.aborted).toBe(true);
});

test('a cancelled call also stops orders', () => {
  const { begin } = machine(['a']);
  const call = new AbortController();
  const { signal, orderSignal } = begin(callerWith('a'), { cancelled: call.signal });
  call.abort();
  expect([signal.aborted, orderSignal.aborted]).toEqual([true, true]);
});

test('a revoked token stops all its actions at once, and no others', () => {
  const { begin, clock, revoke, followers } = machine(['a', 'b']);
  const connection = new AbortController();
  const ofA = begin(callerWith('a'), { gone: () => connection.signal });
  const ofB = begin(callerWith('b'), {});
  const order = ofA.orderSignal;
  expect([ofA.signal.aborted, ofB.signal.aborted]).toEqual([false, false]);
  connection.abort();
  clock.advance(200);
  revoke('a');
  expect(order.reason).toMatchObject({ message: expect.stringContaining('token') });
  expect(ofB.signal.aborted).toBe(false);
  ofA.end();
  ofB.end();
  expect(followers.size).toBe(0);
});

test('an expired token is noticed within a second', () => {
  const { begin, clock, good } = machine(['a']);
  const { signal } = begin(callerWith('a'), {});
  clock.advance(5000);
  good.delete('a');
  clock.advance(1000);
  expect(signal.aborted).toBe(true);
});

test('the command line has no token that could be revoked', () => {
  const { begin, clock } = machine([]);
  const { signal } = begin(callerWith(commandLineId), {});
  clock.advance(5000);
  expect(signal.aborted).toBe(false);
});

test('an action of a client of the broker ends when the settings no longer allow it', () => {
  const { begin, clock, good } = machine([brokerId]);
  const { orderSignal } = begin(callerWith(brokerId), {});
  clock.advance(5000);
  expect(orderSignal.aborted).toBe(false);
  good.delete(brokerId);
  clock.advance(1000);
  expect(orderSignal.aborted).toBe(true);
});

test('a finished action is not stopped any more', () => {
  const { begin, clock, revoke } = machine(['a']);
  const connection = new AbortController();
  const done = begin(callerWith('a'), { gone: () => connection.signal });
  const { signal } = done;
  done.end();
  connection.abort();
  revoke('a');
  clock.advance(5000);
  expect(signal.aborted).toBe(false);
});
