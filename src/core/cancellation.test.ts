import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { allScopes } from '../features/index.ts';
import { type Caller, commandLineId } from './caller.ts';
import { createPermits } from './cancellation.ts';

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
  let looks = 0;
  const tokens = {
    admits({ tokenId }: Pick<Caller, 'tokenId'>) {
      looks += 1;
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
  return { clock, followers, revoke, good, looks: () => looks, permit: createPermits(tokens, clock) };
}

test('nothing is watched for an action that does not look, and little for one that is over soon', () => {
  const { permit, clock, followers, looks } = machine(['a']);
  let asked = 0;
  const gone = () => {
    asked += 1;
    return new AbortController().signal;
  };
  permit(callerWith('a'), { gone }).end();
  expect(asked).toBe(0);
  const short = permit(callerWith('a'), { gone });
  expect(short.signal.aborted).toBe(false);
  short.end();
  clock.advance(10_000);
  expect({ asked, looks: looks(), followers: followers.size }).toEqual({ asked: 1, looks: 0, followers: 0 });
});

test('a closed connection stops what goes on, but not an order', () => {
  const { permit } = machine(['a']);
  const connection = new AbortController();
  const { signal, orderSignal } = permit(callerWith('a'), { gone: () => connection.signal });
  connection.abort();
  expect(signal.reason).toMatchObject({ code: 'failed', message: expect.stringContaining('connection') });
  expect(orderSignal.aborted).toBe(false);
});

test('one that was closed before stops it at once', () => {
  const { permit } = machine(['a']);
  expect(permit(callerWith('a'), { gone: () => AbortSignal.abort() }).signal.aborted).toBe(true);
});

test('a call that is cancelled stops orders as well', () => {
  const { permit } = machine(['a']);
  const call = new AbortController();
  const { signal, orderSignal } = permit(callerWith('a'), { cancelled: call.signal });
  call.abort();
  expect([signal.aborted, orderSignal.aborted]).toEqual([true, true]);
});

test('a revoked token stops everything of its own at once, and nothing of others', () => {
  const { permit, clock, revoke, followers } = machine(['a', 'b']);
  const connection = new AbortController();
  const ofA = permit(callerWith('a'), { gone: () => connection.signal });
  const ofB = permit(callerWith('b'), {});
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

test('one that expires without a word is noticed within a second', () => {
  const { permit, clock, good } = machine(['a']);
  const { signal } = permit(callerWith('a'), {});
  clock.advance(5000);
  good.delete('a');
  clock.advance(1000);
  expect(signal.aborted).toBe(true);
});

test('the command line has no token that could be revoked', () => {
  const { permit, clock } = machine([]);
  const { signal } = permit(callerWith(commandLineId), {});
  clock.advance(5000);
  expect(signal.aborted).toBe(false);
});

test('what is done is not stopped any more', () => {
  const { permit, clock, revoke } = machine(['a']);
  const connection = new AbortController();
  const done = permit(callerWith('a'), { gone: () => connection.signal });
  const { signal } = done;
  done.end();
  connection.abort();
  revoke('a');
  clock.advance(5000);
  expect(signal.aborted).toBe(false);
});
