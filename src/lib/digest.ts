/** Hashes, comparing and making secrets. `node:crypto` does the same with streams and certificates around it, which are 2 MB. */

export function sha256(text: string): Buffer {
  const bytes = Bun.SHA256.hash(text);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** How long it takes does not tell how much of it is the same. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at += 1) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

export function randomBytes(count: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(count)).buffer);
}
