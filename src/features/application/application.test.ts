import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { perform } from '../../../test/harness/perform.ts';
import { applicationExit } from './application.ts';

test('the service stops after the caller got its response', async () => {
  let ended = 0;
  const { context } = fakeActionContext(fakeHost(), {
    exit() {
      ended += 1;
    },
  });
  expect(await perform(applicationExit, {}, context)).toBeNull();
  expect(ended).toBe(1);
});

test('only administrators may stop the service', () => {
  expect(applicationExit.scopes).toEqual(['admin']);
});
