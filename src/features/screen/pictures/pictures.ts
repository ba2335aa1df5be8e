import { definePart } from '../../../core/part.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { StartThread } from '../../../lib/thread.ts';

/** Layout of a pixel: a little-endian word of 3 or 4 bytes. */
export interface PixelFormat {
  bytes: 3 | 4;
  /** Bit offset of each colour. */
  red: number;
  green: number;
  blue: number;
  /** Bits per colour. */
  bits: 8 | 10;
}

/**
 * Pixels as the display server provides them, in memory that threads share without copying: an anonymous memory file, or a
 * SharedArrayBuffer on systems without one. Pixels are never written to disk.
 */
export type RawPicture = PictureLayout & ({ descriptor: number } | { memory: SharedArrayBuffer });

export interface PictureLayout {
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  format: PixelFormat;
  /** The transform of the wl_output; 0: upright. https://wayland.app/protocols/wayland#wl_output:enum:transform */
  transform: number;
  /** The lowest row comes first. */
  upsideDown: boolean;
}

export interface PngPicture {
  png: Uint8Array;
}

export type PictureFormat = 'png' | 'webp';

export interface PictureOptions {
  format: PictureFormat;
  /** null: not scaled. */
  maxWidth: number | null;
  mostBytes: number;
}

export interface EncodedPicture {
  format: PictureFormat;
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** Encodes a picture in a thread that ends afterwards. The descriptor must stay open until this settles. */
export type EncodePicture = (picture: RawPicture | PngPicture, options: PictureOptions) => Promise<EncodedPicture>;

export interface PictureOrder {
  picture: RawPicture | PngPicture;
  options: PictureOptions;
}

export type PictureReply = EncodedPicture | { problem: string; tooLarge: boolean };

/** A little more than 8K: 144 MB of pixels while it is encoded. */
export const mostPixels = 36_000_000;
const mostSide = 32_767;

/** Throws for a size that no screen has. */
export function refuseOversized(width: number, height: number): void {
  const isSide = (side: number) => Number.isInteger(side) && side >= 1 && side <= mostSide;
  if (isSide(width) && isSide(height) && width * height <= mostPixels) return;
  throw new ServiceError(
    'too_large',
    `A picture of ${width} × ${height} pixels is too large: the limit is ${mostPixels / 1_000_000} million pixels`,
  );
}

export const encodePicture = definePart<EncodePicture>({
  name: 'screen.encode-picture',
  create: ({ startThread }) => createEncodePicture(startThread),
  absent: async () => {
    throw new Error('A recording has no screen');
  },
});

export function createEncodePicture(startThread: StartThread): EncodePicture {
  return async (picture, options) => {
    const { promise, resolve, reject } = Promise.withResolvers<EncodedPicture>();
    const order: PictureOrder = { picture, options };
    const thread = await startThread('screen.picture', order, {
      // The message is from encodeInThread.
      message(message) {
        const reply = message as PictureReply;
        if (!('problem' in reply)) resolve(reply);
        else reject(reply.tooLarge ? new ServiceError('too_large', reply.problem) : new Error(reply.problem));
      },
      failed: (reason) => reject(new Error(`the picture was not encoded: ${reason}`)),
    });
    try {
      return await promise;
    } finally {
      thread.end();
    }
  };
}
