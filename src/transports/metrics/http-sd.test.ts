import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { OpenSocket } from '../discovery/discovery.ts';
import { createTargets, createTargetsResponse } from './http-sd.ts';

/** A network without answers that counts searches. */
function silentNetwork() {
  const opened = { count: 0, open: 0 };
  const open: OpenSocket = async () => {
    opened.count += 1;
    opened.open += 1;
    return {
      join: () => {},
      send: async () => {},
      reply: async () => {},
      close: () => {
        opened.open -= 1;
      },
    };
  };
  return { opened, open };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

test('concurrent requests, and requests within half a minute, share one search that leaves nothing open', async () => {
  const { opened, open } = silentNetwork();
  const clock = fakeClock();
  const targets = createTargets({ open, through: () => ['192.0.2.1'], clock });
  const asked = [targets(), targets()];
  await soon();
  clock.advance(3000);
  expect(await Promise.all(asked)).toEqual([[], []]);
  clock.advance(20_000);
  await targets();
  expect(opened).toEqual({ count: 1, open: 0 });
  clock.advance(20_000);
  const again = targets();
  await soon();
  clock.advance(3000);
  await again;
  expect(opened).toEqual({ count: 2, open: 0 });
});

test('a failed search is reported, and tried again at the next request', async () => {
  let attempts = 0;
  const open: OpenSocket = async () => {
    attempts += 1;
    throw new Error('in use');
  };
  const targets = createTargets({ open, through: () => ['192.0.2.1'], clock: fakeClock() });
  for (let attempt = 0; attempt < 2; attempt += 1)
    expect(await targets().catch((error) => [error.code, error.message])).toEqual([
      'failed',
      'The network cannot be searched: UDP port 5353 cannot be shared (in use)',
    ]);
  expect(attempts).toBe(2);
});

test('without a network the list is empty, and with metrics off there is no search', async () => {
  const { opened, open } = silentNetwork();
  const answer = createTargetsResponse({ open, through: () => [], clock: fakeClock() });
  const response = await answer(true);
  expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  expect(await response.json()).toEqual([]);
  expect(await answer(false).catch((error) => error.code)).toBe('not_found');
  expect(opened.count).toBe(0);
});
