/** The quickest level: for what is read once, by a program in the next room. */
export function gzip(content: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(content, { level: 1 });
}
