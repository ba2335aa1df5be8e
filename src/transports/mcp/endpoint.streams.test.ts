import { expect, test } from 'bun:test';
import { until } from '../../../test/harness/until.ts';
import { bounded } from './endpoint.streams.ts';

function source() {
  let push: (text: string) => void = () => {};
  let close = () => {};
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(new TextEncoder().encode(text));
      close = () => controller.close();
    },
    cancel() {
      cancelled = true;
    },
  });
  return {
    response: new Response(body, { status: 200, headers: { 'Content-Type': 'text/event-stream', 'X-Own': 'kept' } }),
    push: (text: string) => push(text),
    close: () => close(),
    cancelled: () => cancelled,
  };
}

test('data passes through, with its headers', async () => {
  const given = source();
  const answer = bounded(given.response);
  given.push('one ');
  given.push('two');
  given.close();
  expect([answer.headers.get('x-own'), await answer.text()]).toEqual(['kept', 'one two']);
});

test('a client that does not read loses its stream, and the source is cancelled', async () => {
  const given = source();
  const answer = bounded(given.response, 1000);
  for (let count = 0; count < 30 && !given.cancelled(); count++) {
    given.push('x'.repeat(50));
    await Bun.sleep(0);
  }
  await until(given.cancelled, 'the source was ended');
  await expect(answer.text()).rejects.toThrow('does not read');
});

test('a client that disconnects cancels the source', async () => {
  const given = source();
  await bounded(given.response).body?.cancel();
  await until(given.cancelled, 'the source was ended');
});

test('a response without a stream is unchanged', () => {
  const plain = Response.json({});
  expect(bounded(plain)).toBe(plain);
});
