/** The dashboard's files: inside the compiled program, or beside the source. null: not built. */
export async function readWebPack(): Promise<Uint8Array<ArrayBuffer> | null> {
  const embedded = Bun.embeddedFiles.find((file) => 'name' in file && file.name === packName);
  if (embedded !== undefined) return new Uint8Array(await embedded.arrayBuffer());
  const built = Bun.file(new URL(`../../../dist/${packName}`, import.meta.url));
  return (await built.exists()) ? new Uint8Array(await built.arrayBuffer()) : null;
}

const packName = 'web.pack';
