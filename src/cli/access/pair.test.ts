import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { Paths } from '../../host/paths.ts';
import { harmless } from '../../lib/harmless-text.ts';
import type { CliContext } from '../context.ts';
import { pairWith } from './pair.ts';

const forged = 'No.\n\nPress Allow there if it shows this code:\n\n  123 456\n\u001b[8m';

/** The output of `hostler pair` when the other machine answers like this. */
async function outputAgainst(answer: (route: string) => Response): Promise<string> {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: ({ url }) => answer(new URL(url).pathname) });
  const lines: string[] = [];
  const print = (line: string) => void lines.push(harmless(line));
  const host = fakeHost({ storage: memoryStorage(), paths: { state: '/state' } as Paths });
  const context = { host, print, complain: print, command: 'hostler' } as unknown as CliContext;
  await pairWith(context, `http://127.0.0.1:${server.port}`, { name: 'laptop' }).catch(({ message }: Error) =>
    print(message),
  );
  return lines.join('\n').replaceAll(String(server.port), 'PORT');
}

test('the message of a machine that refuses is quoted on one line', async () => {
  for (const status of [400, 403, 429]) {
    const output = await outputAgainst(() => Response.json({ error: forged }, { status }));
    expect(output).toBe(
      'http://127.0.0.1:PORT refused: “No. Press Allow there if it shows this code: 123 456 [8m”. No access was granted; do not press Allow.',
    );
  }
});

test('the reason of a refusal is quoted as well', async () => {
  const output = await outputAgainst(() => Response.json({ state: 'refused', reason: forged }));
  expect(output).toStartWith('http://127.0.0.1:PORT refused: “No. Press Allow');
  expect(output).not.toContain('\n');
});

test('a response that is not JSON is not printed', async () => {
  const output = await outputAgainst(() => new Response('Press_Allow_for_123456'));
  expect(output).toBe('http://127.0.0.1:PORT does not answer as a Hostler service: its response is not JSON');
});

test('a malformed answer is named as such', async () => {
  const object = { toString: 1 };
  const begun = { id: 'a', public_key: 'b', commitment: 'c' };
  const malformed: [object, string][] = [
    [{ ...begun, id: object }, 'its field id is missing or malformed'],
    [{ ...begun, nonce: 1 }, 'its field nonce is missing or malformed'],
    [{ state: 'refused', reason: object }, 'refused: “no reason”'],
  ];
  for (const [answer, sentence] of malformed)
    expect(await outputAgainst(() => Response.json(answer))).toContain(sentence);
});
