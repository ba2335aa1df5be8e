import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createUnreadBudget } from '../../access/limits/unread-budget.ts';
import { serialisedResponse } from './respond.ts';
import { createUnreadAnswers } from './unread-answers.ts';

const long = 'x'.repeat(200_000);
const known = (share: string) => ({ share, isKnown: true });

function createTest(most: number) {
  const clock = fakeClock();
  const { paced } = createUnreadAnswers(clock, createUnreadBudget(most), createUnreadBudget(most));
  return {
    clock,
    send: (body: string | Uint8Array<ArrayBuffer>, share = 'one', isKnown = true) =>
      paced(serialisedResponse(body), () => ({ share, isKnown })),
  };
}

test('a short answer stays as it is, and a long one has the same status, headers and bytes', async () => {
  const { paced } = createUnreadAnswers(fakeClock(), createUnreadBudget(1_000_000), createUnreadBudget(0));
  const short = serialisedResponse('{}');
  expect(paced(short, () => known('one'))).toBe(short);
  // Of two UTF-16 units each, so that a piece would end within a character.
  for (const body of [long, `x${'\u{1f600}'.repeat(100_000)}`, new Uint8Array(300_000).fill(7)]) {
    const response = serialisedResponse(body);
    const sent = paced(response, () => known('one'));
    expect(sent).not.toBe(response);
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(Buffer.from(body as string));
  }
});

test('what clients of a token do not read is limited, until it is read, cancelled or too late', async () => {
  const { clock, send } = createTest(900_000);
  const refused = () => expect(() => send(`${long}!`)).toThrow('have not been read yet');
  const [first, second] = [send(`${long}1`), send(`${long}2`)];
  refused();
  await send(`${long}3`, 'two').body?.cancel();
  await first.text();
  const third = send(`${long}3`);
  refused();
  await third.body?.cancel();
  const fourth = send(`${long}4`);
  refused();
  clock.advance(60_000);
  for (const { body } of [second, fourth]) await expect(body?.getReader().read()).rejects.toThrow('does not read');
  await send(`${long}5`).text();
});

test('clients without a token take nothing from those with one', async () => {
  const { send } = createTest(500_000);
  const document = new Uint8Array(200_000);
  const documents = Array.from({ length: 1000 }, () => send(document, '192.0.2.1', false));
  expect(() => send(`${long}!`, '192.0.2.1', false)).toThrow('have not been read yet');
  await send(`${long}!`).text();
  for (const { body } of documents) await body?.cancel();
});

test('a piece is written only when the client has read the one before', async () => {
  const reader = createTest(1_000_000).send(long).body?.getReader();
  expect((await reader?.read())?.value).toHaveLength(64 * 1024);
  await reader?.cancel();
});
