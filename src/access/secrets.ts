import type { Host } from '../host/host.ts';

/** Prefix of sealed text: neither a key nor a password begins like this. */
const mark = 'sealed:';

type Parts = Pick<Host, 'storage' | 'sealing'>;

/** The text to write: sealed if the system supports it. */
export async function sealed({ sealing }: Parts, text: string): Promise<string> {
  return sealing === undefined ? text : `${mark}${await sealing.seal(text)}\n`;
}

/** null: no such file. Unsealed text of older versions is returned as it is. */
export async function readSecret({ storage, sealing }: Parts, file: string): Promise<string | null> {
  const text = storage.read(file, { owned: true });
  if (text === null || !text.startsWith(mark)) return text;
  if (sealing === undefined) throw new Error(`${file} was sealed on another system; remove it`);
  try {
    return await sealing.open(text.slice(mark.length).trim());
  } catch (error) {
    throw new Error(`${file} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
