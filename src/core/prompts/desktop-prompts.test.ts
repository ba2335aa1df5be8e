import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { ServiceError, UserRefused } from '../../lib/errors.ts';
import { createDesktopPrompts } from './desktop-prompts.ts';

const refused = async () => {
  throw new ServiceError('forbidden', 'The user said no', { cause: new UserRefused('no') });
};
const codeOf = (work: Promise<unknown>) => work.catch(({ code }) => code);

test('after a refusal the token has to wait, longer each time, and others do not', async () => {
  const clock = fakeClock();
  const prompts = createDesktopPrompts(clock.monotonic);
  expect(await codeOf(prompts.during('a', refused))).toBe('forbidden');
  await expect(prompts.during('a', refused)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
  expect(await prompts.during('b', async () => 'asked')).toBe('asked');
  clock.advance(10_000);
  expect(await codeOf(prompts.during('a', refused))).toBe('forbidden');
  await expect(prompts.during('a', refused)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 20 });
});

test('a failure without the user does not count, and tokens that alternate wait together', async () => {
  const clock = fakeClock();
  const prompts = createDesktopPrompts(clock.monotonic);
  const broken = async () => {
    throw new ServiceError('failed', 'The desktop is gone');
  };
  for (let time = 0; time < 3; time += 1) expect(await codeOf(prompts.during('a', broken))).toBe('failed');
  for (const token of ['a', 'b', 'c', 'd']) expect(await codeOf(prompts.during(token, refused))).toBe('forbidden');
  expect(await codeOf(prompts.during('e', refused))).toBe('rate_limited');
});
