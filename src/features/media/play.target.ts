import type { ActionContext } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';

/** This service fetches it, so servers that only this machine reaches are refused: those of loopback and of the link. */
export function addressToPlay(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ServiceError('forbidden', 'Only http and https addresses are played');
  if (url.username !== '' || url.password !== '')
    throw new ServiceError('forbidden', 'An address with a user name or a password is not played');
  if (isOwn(url.hostname.toLowerCase()))
    throw new ServiceError(
      'forbidden',
      'Addresses of this machine itself and of its link are not played; use path for a file',
    );
  return url.href;
}

/** The parser has brought numbers into their usual form. */
const isOwn = (name: string) =>
  /^(?:(?:.+\.)?localhost\.?|127\..*|0\..*|169\.254\..*|\[::1?\]|\[::ffff:(?:7f|0?:|a9fe:).*\]|\[fe[89ab].*\])$/.test(
    name,
  );

/** The same for an address that a name leads to. */
export const isOwnAddress = (address: string): boolean =>
  isOwn(address.includes(':') ? (URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname ?? '[::1]') : address);

/** Only an output that the module audio lists: its id becomes an argument of the player. */
export async function requireOutput({ read }: Pick<ActionContext, 'read'>, output: string): Promise<void> {
  const { payload } = await read('audio');
  const sinks: unknown = Object(payload).sinks;
  const ids = Array.isArray(sinks) ? sinks.map((sink) => Object(sink).id) : [];
  if (!ids.includes(output))
    throw new ServiceError('not_found', 'There is no such output; the module audio lists them as sinks');
}
