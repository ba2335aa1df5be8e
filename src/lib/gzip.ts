/** The fastest level, for data that is read once over a local network. */
export function gzip(content: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(content, { level: 1 });
}
