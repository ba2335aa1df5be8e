import { sameOriginOnly } from '../http/respond.ts';

/** An error of the protocol without a request id. */
export function rpcProblem(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...sameOriginOnly, ...headers },
  });
}
