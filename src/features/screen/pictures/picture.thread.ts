import fs from 'node:fs';
import { messageOf } from '../../../lib/errors.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { boxScaled, type PictureRows, rowsOf } from './picture-rows.ts';
import type { PictureFormat, PictureOrder, PictureReply, RawPicture } from './pictures.ts';
import { decodePng } from './png.decode.ts';
import { encodePng, PictureTooLarge } from './png.encode.ts';

const encoders: Record<PictureFormat, (rows: PictureRows, mostBytes: number) => Promise<Uint8Array>> = {
  png: encodePng,
  // Loaded where it is wanted: most are not.
  webp: async (rows, mostBytes) => (await import('./webp.encode.ts')).encodeWebp(rows, mostBytes),
};

/** Makes one picture in a thread of its own; see pictures.ts. */
export const encodeInThread: ThreadJob = async (post, order) => {
  const reply = await encodeOrder(order as PictureOrder);
  const memory = 'bytes' in reply && reply.bytes.buffer instanceof ArrayBuffer ? [reply.bytes.buffer] : [];
  post(reply, memory);
  return { receive() {} };
};

export async function encodeOrder({ picture, wish }: PictureOrder): Promise<PictureReply> {
  try {
    const rows = 'png' in picture ? await decodePng(picture.png) : rawRows(picture);
    const { format, maxWidth, mostBytes } = wish;
    const scaled = maxWidth === null || maxWidth >= rows.width ? rows : boxScaled(rows, maxWidth);
    const bytes = await encoders[format](scaled, mostBytes);
    return { format, bytes, width: scaled.width, height: scaled.height };
  } catch (error) {
    return { problem: messageOf(error), tooLarge: error instanceof PictureTooLarge };
  }
}

function rawRows(picture: RawPicture): PictureRows {
  const length = picture.stride * picture.height;
  if ('memory' in picture) {
    if (picture.memory.byteLength < length) throw tooShort();
    return rowsOf(picture, new Uint8Array(picture.memory));
  }
  const memory = new Uint8Array(length);
  let at = 0;
  while (at < memory.length) {
    const read = fs.readSync(picture.descriptor, memory, at, memory.length - at, at);
    if (read === 0) throw tooShort();
    at += read;
  }
  return rowsOf(picture, memory);
}

const tooShort = () => new Error('the picture ends too early');
