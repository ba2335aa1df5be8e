/** An answer of the service to be sent again by the bare server. */
export interface CapturedResponse {
  body: string;
  headers: Record<string, string>;
}

export function parseCapturedResponse(text: string): CapturedResponse {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('body' in value) || !('headers' in value))
    throw new Error('The file named by ANSWER holds no answer');
  const { body, headers } = value;
  return {
    body: String(body),
    headers: Object.fromEntries(Object.entries(Object(headers)).map(([k, v]) => [k, String(v)])),
  };
}

/** The headers that a server of this kind adds to every answer. */
const byTheServer = new Set(['date', 'content-length']);

export async function captureResponse(url: string, headers: Record<string, string>): Promise<CapturedResponse> {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  const own = [...response.headers].filter(([name]) => !byTheServer.has(name));
  return { body: await response.text(), headers: Object.fromEntries(own) };
}
