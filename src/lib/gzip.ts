/** The quickest level: for text that is read once, by a program in the next room. */
export function gzip(text: string): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(text, { level: 1 });
}
