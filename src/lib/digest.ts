/** Hashes, comparison and creation of secrets. `node:crypto` adds streams and certificates, which take 2 MB. */

export function sha256(text: string | Uint8Array<ArrayBuffer>): Buffer {
  const bytes = Bun.SHA256.hash(text);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const blockBytes = 64;

/**
 * RFC 2104, for keys of at most one block. Bun 1.4's own implementation throws after
 * WebCrypto has refused a key.
 */
export function hmacSha256(key: Uint8Array, text: string): Buffer {
  const inner = sha256(Buffer.concat([mixed(key, 0x36), Buffer.from(text)]));
  return sha256(Buffer.concat([mixed(key, 0x5c), inner]));
}

/** A loop: unauthenticated clients can trigger it at will, and until it is compiled it takes half the time of a list. */
function mixed(key: Uint8Array, mask: number): Buffer {
  const block = Buffer.alloc(blockBytes, mask);
  for (let at = 0; at < key.length; at += 1) block[at] = (key[at] ?? 0) ^ mask;
  return block;
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

/** The same for texts. */
export function isSameText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)).buffer);
}

/** Whole milliseconds since a random time: an id that contains them does not show how long the machine runs. */
export function randomStartClock(monotonic: () => number): () => number {
  const start = randomBytes(6).readUIntBE(0, 6);
  return () => start + Math.floor(monotonic());
}
