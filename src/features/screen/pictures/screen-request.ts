import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { EncodedPicture, PictureOptions } from './pictures.ts';

export interface ScreenRequest extends PictureOptions {
  /** The id; null: the primary display, or the first one. */
  display: string | null;
  activeWindow: boolean;
}

export interface ScreenPicture extends EncodedPicture {
  /** null: the whole desktop, or a window. */
  display: string | null;
}

/** Turns every error into a ServiceError. */
export async function explainFailure<T>(take: () => Promise<T>): Promise<T> {
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
