import type { Host } from '../host/host.ts';
import type { LocalRequest } from '../host/local-http.ts';

/** Lines that the running service sends, as long as it runs. */
export async function linesOf(
  host: Host,
  socket: string,
  route: LocalRequest['route'],
): Promise<AsyncGenerator<string>> {
  const { signal } = new AbortController();
  const { status, pieces } = await host.localHttp.stream({
    socket,
    route,
    method: 'GET',
    headers: {},
    body: null,
    signal,
  });
  if (status !== 200) throw new Error('The running service has another version than this command; restart it');
  return linesIn(pieces);
}

async function* linesIn(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
