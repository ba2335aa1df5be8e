import { expect, test } from 'bun:test';
import { lookUpPipe } from './engine-pipes.windows.ts';

const own = 'S-1-5-21-1-2-3-1001';

test.each([
  [own, 'socket'],
  ['S-1-5-18', 'socket'],
  ['S-1-5-21-1-2-3-1002', 'refused'],
  [null, 'absent'],
])('a pipe of %p is %s', async (owner, kind) => {
  const owners = async () => ({ ownSid: () => own, pipeOwner: () => owner });
  expect(await lookUpPipe('\\\\.\\pipe\\docker_engine', owners)).toMatchObject({ kind });
});
