/** A server behind a proxy that answers with the headers which the proxy has set. */
export function startEcho() {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ headers }) =>
      Response.json({
        prefix: headers.get('x-forwarded-prefix'),
        proto: headers.get('x-forwarded-proto'),
        address: headers.get('x-forwarded-for'),
      }),
  });
  const address = `127.0.0.1:${server.port}`;
  return { address, base: `http://${address}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** What reaches that server from a client that sends such headers. */
export async function forwardedTo(url: string): Promise<unknown> {
  const chosen = {
    'X-Forwarded-Prefix': '/chosen',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-For': '192.0.2.1',
  };
  return await (await fetch(url, { headers: chosen })).json();
}
