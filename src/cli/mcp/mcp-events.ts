import type { LocalResponse } from '../../host/local-http.ts';
import type { JsonRpc } from './mcp-message.ts';

const maxBytes = 16 * 1024 * 1024;

/** The messages in a response, whether it is one or a stream of them. */
export async function* dataOf({ header, pieces }: LocalResponse): AsyncGenerator<JsonRpc> {
  const isStream = header('content-type')?.startsWith('text/event-stream') === true;
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > maxBytes) throw new Error('The response of Hostler is too long');
    if (!isStream) continue;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? '';
    for (const event of events) yield* messageIn(dataLines(event));
  }
  yield* messageIn(isStream ? dataLines(text) : text);
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: comments and other fields are ignored. */
function dataLines(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
}

function* messageIn(text: string): Generator<JsonRpc> {
  if (text.trim() === '') return;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null) yield { ...value };
}
