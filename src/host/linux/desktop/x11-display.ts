import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { noKey, parseAuthority } from '@hostler/x11/authority.ts';
import { openX11, type X11, X11Refusal } from '@hostler/x11/connection.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Environment } from '../../environment.ts';
import type { Files } from '../files.ts';
import type { X11Place } from './desktop-session.ts';

export interface X11Host {
  connectLocal: ConnectLocal;
  clock: Clock;
  files: Pick<Files, 'bytes'>;
  environment: Pick<Environment, 'hostname'>;
}

/** Connects with the first valid key; servers that accept their user need none. */
export async function openDisplay(
  host: X11Host,
  { socket, number, authorities }: X11Place,
  timeoutMs: number,
): Promise<X11> {
  const { connectLocal, clock, files, environment } = host;
  const keys = authorities.flatMap((file) => {
    const bytes = files.bytes(file);
    return bytes === null ? [] : parseAuthority(bytes, number, environment.hostname());
  });
  let refusal: unknown;
  for (const key of [...keys, noKey]) {
    try {
      return await openX11(connectLocal, clock, { socket, key, timeoutMs });
    } catch (error) {
      if (!(error instanceof X11Refusal)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}
