import { messageOf } from '../../../lib/errors.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { boxScaled, type PictureRows, rowsOf } from './picture-rows.ts';
import type { PictureFormat, PictureOrder, PictureReply, RawPicture } from './pictures.ts';
import { decodePng } from './png.decode.ts';
import { encodePng, PictureTooLarge } from './png.encode.ts';

const encoders: Record<PictureFormat, (rows: PictureRows, mostBytes: number) => Promise<Uint8Array>> = {
  png: encodePng,
  // Loaded on demand, because it is rarely used.
  webp: async (rows, mostBytes) => (await import('./webp.encode.ts')).encodeWebp(rows, mostBytes),
};

/** Encodes one picture in its own thread; see pictures.ts. */
export const encodeInThread: ThreadJob = async (post, order) => {
  const reply = await encodeOrder(order as PictureOrder);
  const memory = 'bytes' in reply && reply.bytes.buffer instanceof ArrayBuffer ? [reply.bytes.buffer] : [];
  post(reply, memory);
  return { receive() {} };
};

export async function encodeOrder({ picture, options }: PictureOrder): Promise<PictureReply> {
  try {
    const rows = 'png' in picture ? await decodePng(picture.png) : await rawRows(picture);
    const { format, maxWidth, mostBytes } = options;
    const scaled = maxWidth === null || maxWidth >= rows.width ? rows : boxScaled(rows, maxWidth);
    const bytes = await encoders[format](scaled, mostBytes);
    return { format, bytes, width: scaled.width, height: scaled.height };
  } catch (error) {
    return { problem: messageOf(error), tooLarge: error instanceof PictureTooLarge };
  }
}

async function rawRows(picture: RawPicture): Promise<PictureRows> {
  const length = picture.stride * picture.height;
  if ('memory' in picture) {
    if (picture.memory.byteLength < length) throw tooShort();
    return rowsOf(picture, new Uint8Array(picture.memory));
  }
  const { readPictureMemory } = await import('../linux/picture-memory.read.ts');
  const memory = readPictureMemory(picture.descriptor, length);
  if (memory === null) throw tooShort();
  return rowsOf(picture, memory);
}

const tooShort = () => new Error('the picture ends too early');
