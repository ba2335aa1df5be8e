import { definePart } from '../../../core/part.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { StartThread } from '../../../lib/thread.ts';

/** How the pixels of a picture lie in memory: words of 3 or 4 bytes, the lowest byte first. */
export interface PixelFormat {
  bytes: 3 | 4;
  /** Where each colour begins in the word, in bits. */
  red: number;
  green: number;
  blue: number;
  /** Of each colour. */
  bits: 8 | 10;
}

/**
 * Pixels as a display server gave them. They lie in memory that several threads can see, so that none has to hand them to another: that of a
 * descriptor, or shared memory where a system has no such descriptors. Nothing of it is ever in a file.
 */
export type RawPicture = PictureLayout & ({ descriptor: number } | { memory: SharedArrayBuffer });

export interface PictureLayout {
  width: number;
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  format: PixelFormat;
  /** How it was turned before, as a wl_output says it; 0: it was not. https://wayland.app/protocols/wayland#wl_output:enum:transform */
  turn: number;
  /** The lowest row comes first. */
  upsideDown: boolean;
}

/** A picture that another program has made already. */
export interface PngPicture {
  png: Uint8Array;
}

export type PictureFormat = 'png' | 'webp';

export interface PictureWish {
  format: PictureFormat;
  /** null: as wide as it is. */
  maxWidth: number | null;
  mostBytes: number;
}

export interface EncodedPicture {
  format: PictureFormat;
  bytes: Uint8Array;
  width: number;
  height: number;
}

/** Makes a file of it, in a thread that is let go afterwards. The descriptor has to stay open until this settles. */
export type EncodePicture = (picture: RawPicture | PngPicture, wish: PictureWish) => Promise<EncodedPicture>;

export interface PictureOrder {
  picture: RawPicture | PngPicture;
  wish: PictureWish;
}

export type PictureReply = EncodedPicture | { problem: string; tooLarge: boolean };

/** 8K, and a little more: 144 MB of pixels while it is made. */
export const mostPixels = 36_000_000;
const mostSide = 32_767;

/** Throws a sentence where nobody would have such a screen. */
export function refuseAbsurd(width: number, height: number): void {
  const isSide = (side: number) => Number.isInteger(side) && side >= 1 && side <= mostSide;
  if (isSide(width) && isSide(height) && width * height <= mostPixels) return;
  throw new ServiceError(
    'too_large',
    `A picture of ${width} × ${height} pixels is not taken: ${mostPixels / 1_000_000} million pixels are the limit`,
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
  return async (picture, wish) => {
    const { promise, resolve, reject } = Promise.withResolvers<EncodedPicture>();
    const order: PictureOrder = { picture, wish };
    const thread = await startThread('screen.picture', order, {
      // Our own thread.
      message(message) {
        const reply = message as PictureReply;
        if (!('problem' in reply)) resolve(reply);
        else reject(reply.tooLarge ? new ServiceError('too_large', reply.problem) : new Error(reply.problem));
      },
      failed: (reason) => reject(new Error(`the picture was not made: ${reason}`)),
    });
    try {
      return await promise;
    } finally {
      thread.end();
    }
  };
}
