/** An error of the runtime as a clause about the server; null: another one. */
export function connectionProblem(code: string, message = ''): string | null {
  return known.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? null;
}

const known: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED|ConnectionRefused/, 'no server is listening at its address'],
  [/ENETUNREACH|EHOSTUNREACH/, 'there is no route to its address'],
  [/ETIMEDOUT/, 'it does not answer'],
  [/ECONNRESET|ConnectionClosed|closed unexpectedly/, 'it closed the connection without a response'],
  [/ENOTFOUND|EAI_AGAIN|DNSLookup|FailedToOpenSocket/, 'its name cannot be found, or the network is down'],
];
