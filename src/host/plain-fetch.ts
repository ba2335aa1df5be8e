import { isNear } from '../lib/near-host.ts';

/**
 * An outgoing request whose response is not decompressed: a small compressed one could become gigabytes before its size is known. Every
 * request to an address outside of this machine is sent here. Certificates are verified, whatever the environment says. What may be sent
 * unencrypted because its server is near does not go to a proxy, which may be anywhere.
 */
export function fetchPlain(url: string | URL, init: BunFetchRequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Accept-Encoding', 'identity');
  const { protocol, hostname } = new URL(url);
  return fetch(url, {
    ...init,
    headers,
    decompress: false,
    tls: { rejectUnauthorized: true, ...init.tls },
    ...(protocol === 'http:' && isNear(hostname) ? { proxy: false } : {}),
  });
}

/** The beginning of the body, up to a limit. A compressed body is not read. */
export async function beginningOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  return isCompressed(response) ? await nothingOf(response) : (await upTo(response, maxBytes)).bytes;
}

/** The whole body as text. Throws when it is longer, or compressed. */
export const boundedText = async (response: Response, maxBytes: number): Promise<string> =>
  new TextDecoder().decode(await boundedBytes(response, maxBytes));

/** The whole body. Throws when it is longer, or compressed. */
export async function boundedBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  if (isCompressed(response)) {
    await nothingOf(response);
    throw new Error('its response is compressed');
  }
  const { bytes, isWhole } = await upTo(response, maxBytes);
  if (!isWhole) throw new Error(`its response is larger than ${maxBytes} bytes`);
  return bytes;
}

export async function nothingOf(response: Response): Promise<Uint8Array> {
  await response.body?.cancel();
  return new Uint8Array();
}

const isCompressed = ({ headers }: Response) => !/^(?:identity)?$/i.test(headers.get('content-encoding') ?? '');

async function upTo({ body }: Response, maxBytes: number): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isWhole = true;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    isWhole = size <= maxBytes;
    if (!isWhole) break;
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), isWhole };
}
