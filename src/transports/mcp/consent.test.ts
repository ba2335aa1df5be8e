import { describe, expect, test } from 'bun:test';
import type { McpRequest } from '@hostler/mcp/server.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { callerWith } from '../../../test/harness/agents.ts';
import type { Answerer, AskUser } from '../../core/agent.ts';
import { defaultSettings } from '../../features/index.ts';
import { validMs } from './consent.client-prompt.ts';
import { createConsent } from './consent.ts';
import { type Decided, keptMs, patienceMs, type Verdict } from './consent.user-prompt.ts';

type Prompt = {
  title: string;
  text: string;
  signal: AbortSignal;
  answered: ((by: Answerer) => void) | undefined;
  answer: PromiseWithResolvers<'allowed' | 'denied'>;
};

/** A user who answers when the test says so; a prompt stays on the screen until then. */
function screen({ trust = false } = {}) {
  const clock = fakeClock();
  const prompts: Prompt[] = [];
  const askUser: AskUser = (prompt, signal, answered) => {
    const answer = Promise.withResolvers<'allowed' | 'denied'>();
    prompts.push({ ...prompt, signal, answered, answer });
    return answer.promise;
  };
  const settings = { ...defaultSettings, mcp: { ...defaultSettings.mcp, trustClientConfirmation: trust } };
  let changes = 0;
  const consent = createConsent({ askUser, settings: () => settings, changed: () => void changes++, clock });
  const unattended: Decided[] = [];
  return {
    prompts,
    consent,
    unattended,
    changes: () => changes,
    pass: clock.advance,
    ask(tokenId = 'one', signal = new AbortController().signal, given: unknown = {}): Promise<Verdict> {
      // The rest is not used.
      const request = { signal, state: undefined } as unknown as McpRequest;
      const caller = callerWith(undefined, tokenId);
      return consent.ask({
        ...{ tool: 'run_command', given, prompt: 'Run?', caller, canElicit: true, request },
        unattended: (decided) => void unattended.push(decided),
      });
    },
  };
}

const refusalOf = (verdict: Verdict) => ('refused' in verdict ? verdict.refused.message : verdict);

test('a prompt that the user allows is recorded as consent at the screen', async () => {
  const { ask, prompts } = screen();
  const asking = ask();
  expect(prompts).toMatchObject([{ title: '"token one" asks for run_command', text: 'Run?' }]);
  prompts[0]?.answer.resolve('allowed');
  expect(await asking).toEqual({ agreed: 'screen' });
});

test.each(['dashboard', 'command'] as const)(
  'an answer from elsewhere (%s) is recorded with who gave it',
  async (at) => {
    for (const [answer, expected] of [
      ['allowed', { agreed: at, by: 'the owner' }],
      ['denied', { refused: expect.anything(), by: 'the owner' }],
    ] as const) {
      const { ask, prompts } = screen();
      const asking = ask();
      prompts[0]?.answered?.({ at, who: 'the owner' });
      prompts[0]?.answer.resolve(answer);
      expect(await asking).toEqual(expected);
    }
  },
);

test('a prompt that is not answered is taken down and refused, with the ways to answer', async () => {
  const { ask, prompts, pass } = screen();
  const asking = ask();
  pass(patienceMs);
  await asking;
  pass(validMs - patienceMs - 1);
  expect(prompts[0]?.signal.aborted).toBe(false);
  const again = ask();
  pass(1);
  expect(prompts[0]?.signal.aborted).toBe(true);
  expect(refusalOf(await again)).toMatch(/did not answer within 2 minutes.*dashboard with the scope admin.*approve"/);
});

describe('a call whose prompt stays open longer than a call waits', () => {
  const pending = async (options = {}) => {
    const parts = screen(options);
    const asking = parts.ask();
    parts.pass(patienceMs - 1);
    parts.pass(1);
    expect(await asking).toMatchObject({ pending: { code: 'conflict' } });
    return parts;
  };
  const settled = async () => await Bun.sleep(0);

  test('says what to do, and its prompt stays open', async () => {
    const { ask, pass, prompts } = screen();
    const asking = ask();
    pass(patienceMs);
    const verdict = await asking;
    expect('pending' in verdict && verdict.pending.message).toMatch(
      /^Approval is pending: .*dashboard.*approve".*again with the same arguments within 115 s/,
    );
    expect(prompts[0]?.signal.aborted).toBe(false);
  });

  test('joins it when made again, and gets the answer', async () => {
    const { ask, prompts, unattended } = await pending();
    const again = ask();
    expect(prompts).toHaveLength(1);
    prompts[0]?.answer.resolve('allowed');
    expect(await again).toEqual({ agreed: 'screen' });
    expect(unattended).toEqual([]);
  });

  test('uses an approval once that came while no call waited', async () => {
    const { ask, prompts, unattended } = await pending();
    prompts[0]?.answered?.({ at: 'dashboard', who: 'the owner' });
    prompts[0]?.answer.resolve('allowed');
    await settled();
    expect(unattended).toEqual([{ agreed: 'dashboard', by: 'the owner' }]);
    expect(await ask()).toEqual({ agreed: 'dashboard', by: 'the owner' });
    void ask();
    expect(prompts).toHaveLength(2);
  });

  test.each([
    ['another token', 'two', {}],
    ['other arguments', 'one', { command_id: 'other' }],
  ])('gives its approval to no call with %s', async (_what, token, given) => {
    const { ask, prompts } = await pending();
    await expect(ask(token, undefined, given)).rejects.toMatchObject({ code: 'conflict' });
    prompts[0]?.answer.resolve('allowed');
    await settled();
    const other = ask(token, undefined, given);
    expect(prompts).toHaveLength(2);
    prompts[1]?.answer.resolve('denied');
    expect(refusalOf(await other)).toContain('did not allow');
  });

  test('does not run with an approval that is older than a minute', async () => {
    const { ask, prompts, pass } = await pending();
    prompts[0]?.answer.resolve('allowed');
    await settled();
    pass(keptMs);
    void ask();
    expect(prompts).toHaveLength(2);
  });

  test('learns a denial, and the next call has to wait', async () => {
    const { ask, prompts, unattended } = await pending();
    prompts[0]?.answer.resolve('denied');
    await settled();
    expect(unattended).toMatchObject([{ refused: { code: 'forbidden' } }]);
    expect(refusalOf(await ask())).toContain('did not allow');
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
  });

  test('is allowed once where several of the same wait', async () => {
    const { ask, prompts } = await pending();
    const waiting = [ask(), ask(), ask(), ask()];
    // One more learns at once that the prompt is open.
    expect(await ask()).toHaveProperty('pending');
    prompts[0]?.answer.resolve('allowed');
    const results = await Promise.allSettled(waiting);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results[1]).toMatchObject({ reason: { code: 'conflict' } });
  });

  test('loses its prompt when its token is revoked and when the service stops', async () => {
    for (const end of ['admit', 'close'] as const) {
      const { consent, prompts, changes } = await pending();
      consent.admit(() => true);
      expect([prompts[0]?.signal.aborted, consent.count(), changes()]).toEqual([false, 1, 1]);
      consent[end](() => false);
      expect(prompts[0]?.signal.aborted).toBe(true);
      prompts[0]?.answer.resolve('denied');
      await settled();
      expect([consent.count(), changes()]).toEqual([0, 2]);
    }
  });
});

test('after a denial the next prompt waits, longer each time', async () => {
  const { ask, prompts, pass } = screen();
  for (const seconds of [10, 20, 40]) {
    const asking = ask();
    prompts.at(-1)?.answer.resolve('denied');
    expect(refusalOf(await asking)).toContain('did not allow');
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: seconds });
    pass(seconds * 1000);
  }
  expect(prompts).toHaveLength(3);
});

test('the same applies after a withdrawn prompt and after one that was not answered', async () => {
  const { ask, prompts, pass } = screen();
  const control = new AbortController();
  const withdrawn = ask('one', control.signal);
  control.abort();
  expect(refusalOf(await withdrawn)).toContain('was withdrawn');
  prompts[0]?.answer.resolve('denied');
  await Bun.sleep(1);
  await expect(ask()).rejects.toMatchObject({ retryAfterSeconds: 10 });
  pass(10_000);
  void ask();
  pass(validMs);
  expect(refusalOf(await ask())).toContain('did not answer');
  // Less than 20: while the second prompt was open, some of the first failure expired.
  await expect(ask()).rejects.toMatchObject({ retryAfterSeconds: 18 });
});

test('a withdrawn prompt delays the next one until it is off the screen', async () => {
  const { ask, prompts } = screen();
  const control = new AbortController();
  const withdrawn = ask('one', control.signal);
  control.abort();
  await withdrawn;
  expect(prompts[0]?.signal.aborted).toBe(true);
  await expect(ask('two')).rejects.toMatchObject({ code: 'conflict' });
  // A click on it has no effect now.
  prompts[0]?.answer.resolve('allowed');
  await Bun.sleep(1);
  const next = ask('two');
  expect(prompts).toHaveLength(2);
  prompts[1]?.answer.resolve('denied');
  expect(refusalOf(await next)).toContain('did not allow');
});

test('one prompt is on the screen at a time, for all tokens', async () => {
  const { ask, prompts } = screen();
  void ask('one');
  await expect(ask('one', undefined, { other: true })).rejects.toThrow('still being asked about an earlier call');
  await expect(ask('two')).rejects.toThrow('still being asked about a call of another agent');
  expect(prompts).toHaveLength(1);
});

test('alternating agents share a wait after some denials', async () => {
  const { ask, prompts } = screen();
  for (const token of ['a', 'b', 'c', 'd']) {
    const asking = ask(token);
    prompts.at(-1)?.answer.resolve('denied');
    await asking;
  }
  await expect(ask('e')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
});
