import path from 'node:path';
import type { Environment } from '../../environment.ts';
import type { Files } from '../files.ts';

/** Only servers on this machine. https://www.freedesktop.org/wiki/Software/PulseAudio/Documentation/User/ServerStrings/ */
export function serverPaths(variable: string | null, runtime: string | null): string[] {
  if (variable !== null) {
    // Each may be bound to a machine: {id}unix:/path
    const servers = variable.split(/\s+/).map((server) => server.replace(/^\{[^}]*\}/, '').replace(/^unix:/, ''));
    return servers.filter((server) => server.startsWith('/'));
  }
  return [...(runtime === null ? [] : [path.join(runtime, 'pulse', 'native')]), '/run/pulse/native'];
}

export function isNotListening(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED');
}

const cookieBytes = 256;

/** Authenticates us to a server that does not accept our uid. */
export function cookieOf({ environment, files }: { environment: Environment; files: Files }): Uint8Array {
  const places = [
    environment.variable('PULSE_COOKIE'),
    path.join(environment.variable('XDG_CONFIG_HOME') ?? path.join(environment.home, '.config'), 'pulse', 'cookie'),
    path.join(environment.home, '.pulse-cookie'),
  ];
  for (const place of places) {
    const cookie = place === null ? null : files.bytes(place);
    if (cookie?.length === cookieBytes) return cookie;
  }
  return new Uint8Array(cookieBytes);
}
