import { ServiceError } from '../../lib/errors.ts';
import type { ClipboardFormat } from './clipboard.contract.ts';

export const emptyClipboard = () => new ServiceError('not_found', 'The clipboard is empty');

export const secretOnClipboard = () =>
  new ServiceError(
    'forbidden',
    'The content of the clipboard is marked as a secret, as by a password manager, and is not returned',
  );

export function nothingOnClipboard(wanted: ClipboardFormat | null): ServiceError {
  const kinds = { text: 'no text', png: 'no PNG picture' };
  return new ServiceError(
    'not_found',
    `There is ${wanted === null ? 'neither text nor a PNG picture' : kinds[wanted]} on the clipboard`,
  );
}

export function tooLargeOnClipboard(format: ClipboardFormat, most: number): ServiceError {
  const name = format === 'text' ? 'text' : 'picture';
  return new ServiceError(
    'too_large',
    `The ${name} on the clipboard has more than ${most / 2 ** 20} MiB, so it was not read`,
  );
}

export const changedClipboard = () =>
  new ServiceError('conflict', 'Something else was copied while the clipboard was being read; try again');
