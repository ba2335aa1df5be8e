import { expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { createEnginePipes } from './engine-pipes.windows.ts';

const own = 'S-1-5-21-1-2-3-1001';

function pipes(owner: string | null, check: () => Promise<void> = async () => {}) {
  let closed = 0;
  const close = () => {
    closed += 1;
  };
  const connect: ConnectLocal = async () => ({ send: () => {}, close });
  const made = createEnginePipes(connect, async () => ({ ownSid: () => own, pipeOwner: () => owner }), check);
  return { ...made, closed: () => closed };
}

test.each([
  [own, 'socket'],
  ['S-1-5-18', 'socket'],
  ['S-1-5-21-1-2-3-1002', 'refused'],
  [null, 'absent'],
])('a pipe of %p is %s', async (owner, kind) => {
  expect(await pipes(owner).lookUp('\\\\.\\pipe\\docker_engine')).toMatchObject({ kind });
});

test('a pipe whose owner has changed is closed before anything is sent', async () => {
  const refuse = async () => {
    throw new Error('nothing was sent');
  };
  const { connect, closed } = pipes(own, refuse);
  await expect(
    connect('\\\\.\\pipe\\docker_engine', { data: () => {}, closed: () => {} }, 'self-or-root'),
  ).rejects.toThrow('nothing was sent');
  expect(closed()).toBe(1);
});
