import { pictureTypeOf } from '../../lib/picture-type.ts';

export interface Artwork {
  thumbnail: string | null;
  /** Why the artwork that the player names is missing. */
  reason: string | null;
}

/** Of a whole data URL. */
export const largestUrl = 64 * 1024;
/** A larger picture does not fit into it. */
export const largestPicture = (largestUrl / 4) * 3;

export const noArtwork = (reason: string | null): Artwork => ({ thumbnail: null, reason });
export const tooLarge = noArtwork('The artwork is larger than 64 KiB as a data URL');

/** `what`: the subject of the reason. */
export function toArtwork(bytes: Uint8Array, what: string): Artwork {
  const type = pictureTypeOf(bytes);
  if (type === null) return noArtwork(`${what} is not a picture of a known type`);
  const thumbnail = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return thumbnail.length > largestUrl ? tooLarge : { thumbnail, reason: null };
}
