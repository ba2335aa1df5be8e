import { describe, expect, test } from 'bun:test';
import { askForPrompt, connectionFrom, pairingClient, pairingMachine, refusal } from '../../../test/harness/pairing.ts';
import { until } from '../../../test/harness/until.ts';
import { makeNonce, makePairKey } from '../../lib/pairing/pairing-crypto.ts';
import { budgets } from '../limits/budgets.ts';

const { promptMs, absentMs } = budgets.unauthenticated.pairing;

describe('simultaneous pairing requests', () => {
  test('a second request is refused and does not replace the first', async () => {
    const there = pairingMachine();
    const first = pairingClient(there).sealed();
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    expect(await refusal(askForPrompt(there.pairing, '10.6.6.6', 'laptop'))).toContain('another device');
    expect(there.prompts).toHaveLength(1);
    there.prompts[0]?.answer('allowed');
    expect((await first).name).toBe('laptop');
  });

  test('of two requests at the same moment one is refused', async () => {
    const { pairing, prompts } = pairingMachine();
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, at) => refusal(askForPrompt(pairing, `10.0.0.${at}`))),
    );
    expect(results.filter((said) => said === 'no refusal')).toHaveLength(1);
    expect(prompts).toHaveLength(1);
  });
});

describe('repeated pairing requests', () => {
  test('the same address waits longer each time; seven prompts in an hour', async () => {
    const { pairing, prompts, clock } = pairingMachine();
    const waits: number[] = [];
    for (const begun = clock.monotonic(); clock.monotonic() - begun < 3600_000; ) {
      const said = await askForPrompt(pairing).catch((error) => error.retryAfterSeconds as number);
      if (typeof said === 'number') {
        waits.push(said);
        clock.advance(said * 1000);
      } else {
        prompts.at(-1)?.answer('denied');
        await Bun.sleep(1);
      }
    }
    expect(waits.slice(0, 6)).toEqual([30, 60, 120, 240, 480, 960]);
    expect(prompts).toHaveLength(7);
  });

  test('many addresses together get ten prompts in an hour', async () => {
    const { pairing, prompts, clock } = pairingMachine();
    for (let turn = 0, begun = clock.monotonic(); clock.monotonic() - begun < 3600_000; turn++) {
      const said = await askForPrompt(pairing, `10.0.${turn >> 8}.${turn & 255}`).catch(
        (error) => error.retryAfterSeconds as number,
      );
      if (typeof said === 'number') clock.advance(said * 1000);
      else {
        prompts.at(-1)?.answer('denied');
        await Bun.sleep(1);
      }
    }
    expect(prompts.length).toBe(10);
  });

  test('an unanswered or abandoned prompt is closed and counts as well', async () => {
    const there = pairingMachine();
    await askForPrompt(there.pairing);
    there.clock.advance(absentMs + 1);
    expect(there.prompts[0]?.signal.aborted).toBe(true);
    await Bun.sleep(1);
    expect(await refusal(askForPrompt(there.pairing))).toContain('grows each time');
    there.clock.advance(60_000);
    const asking = refusal(pairingClient(there).sealed());
    expect(await asking).toContain('not answered in time');
    expect(there.clock.monotonic()).toBeGreaterThanOrEqual(promptMs);
    expect(there.prompts[1]?.signal.aborted).toBe(true);
  });
});

test('ids of attempts do not show how long the machine runs', async () => {
  const attempts = [await pairingMachine().pairing.begin(), await pairingMachine().pairing.begin()];
  const [one, other] = attempts.map(({ id }) => id.split('.')[0]);
  expect(one).not.toBe(other);
});

test('pairing attempts take no memory', async () => {
  const { pairing } = pairingMachine();
  const ids = new Set<string>();
  for (let count = 0; count < 2000; count++) ids.add((await pairing.begin()).id);
  expect(ids.size).toBe(2000);
  const { id } = await pairing.begin();
  const way = {
    id: id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    publicKey: (await makePairKey()).publicKey,
    nonce: makeNonce(),
    certificate: null,
    proof: null,
  };
  expect(
    await refusal(
      pairing.ask({ name: 'x', isNamed: true, scopes: null, browser: null, way }, connectionFrom('10.0.0.1')),
    ),
  ).toContain('Start again');
});
