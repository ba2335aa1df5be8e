import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { EncodedPicture, PictureWish } from './pictures.ts';

/** What is wanted of the screen, on every platform. */
export interface ScreenWish extends PictureWish {
  /** Its id; null: the primary one, or the first. */
  display: string | null;
  /** The window in front instead. */
  activeWindow: boolean;
}

export interface ScreenPicture extends EncodedPicture {
  /** null: all of the desktop, or a window. */
  display: string | null;
}

/** Makes a ServiceError with a sentence of whatever goes wrong. */
export async function sayingWhyNot<T>(take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The picture was not taken: ${shownText(messageOf(cause), 300)}`, { cause });
  }
}

export const noSuchDisplay = (wanted: string, known: readonly string[]) =>
  new ServiceError(
    'not_found',
    `There is no display ${JSON.stringify(wanted)}; connected: ${known.join(', ') || 'none'}`,
  );
