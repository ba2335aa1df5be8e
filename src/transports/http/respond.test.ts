import { expect, test } from 'bun:test';
import { listResponse } from './respond.ts';

const asking = (acceptEncoding: string | null, etag = '') => ({
  headers: new Headers({
    ...(acceptEncoding === null ? {} : { 'accept-encoding': acceptEncoding }),
    'if-none-match': etag,
  }),
});

test('a long list is compressed for clients that take that, and a short one is not', async () => {
  const long = Array.from({ length: 200 }, (_, id) => ({ id, text: 'the same words' }));
  const packed = listResponse(long, asking('gzip, br'));
  expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
  const bytes = new Uint8Array(await packed.arrayBuffer());
  expect(bytes.length).toBeLessThan(JSON.stringify(long).length / 4);
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(bytes)))).toEqual(long);
  for (const [value, accepted] of [
    [long, null],
    [long, 'br, gzip;q=0'],
    [[1], 'gzip'],
  ] as const) {
    const plain = listResponse(value, asking(accepted));
    expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([null, 'Accept-Encoding']);
    expect(await plain.json()).toEqual(value as never);
  }
});

test('a list that has not changed is not sent again', async () => {
  const etag = listResponse([1, 2], asking(null)).headers.get('etag') ?? '';
  const again = listResponse([1, 2], asking('gzip', etag));
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  const changed = listResponse([1, 3], asking(null, etag));
  expect([changed.status, await changed.json()]).toEqual([200, [1, 3]]);
});
