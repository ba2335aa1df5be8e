import fs from 'node:fs';
import path from 'node:path';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { exposureOf } from '../../../host/linux/storage/exposure.ts';
import { codeOf } from '../../../lib/errors.ts';
import type { SocketPlace } from '../socket-status.ts';

/**
 * Whoever answers at an engine's socket is believed, and told what to do: so it has to be a socket of this user or of root, in directories where
 * nobody else could put another one in its place. Who may connect to it is another matter: the engine's group, for example.
 */
export function lookAtSocket(place: string): SocketPlace {
  try {
    // Most machines have one of these sockets at most, and to throw costs ten times as much as to look.
    if (fs.lstatSync(place, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
    const real = fs.realpathSync(place);
    const stat = fs.statSync(real);
    if (!stat.isSocket()) return refused('it is not a socket');
    const me = process.getuid?.() ?? 0;
    if (stat.uid !== 0 && stat.uid !== me) return refused(`it belongs to the user ${stat.uid}, not to root or to you`);
    const exposed = exposureOf(path.dirname(place)) ?? exposureOf(path.dirname(real));
    return exposed === null
      ? { kind: 'socket', path: real }
      : refused(`${exposed.problem}: another user could replace it`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    // A directory of another user, such as his runtime directory, is none of our business.
    if (code === 'EACCES') return { kind: 'absent' };
    return refused(`it cannot be looked at (${code})`);
  }
}

const refused = (problem: string): SocketPlace => ({ kind: 'refused', problem });

/** Looks whether there is a socket at a path that no other user could have put there. */
export const socketLookup = definePart<(place: string) => SocketPlace, LinuxHost>({
  name: 'containers.socket-lookup',
  create: () => lookAtSocket,
  absent: () => ({ kind: 'absent' }),
});

/** Where engines listen unless they were told otherwise, and where the settings say. */
export function engineSocketPaths(runtimeDirectory: string | null, added: readonly string[]): string[] {
  const own = runtimeDirectory?.startsWith('/') ? runtimeDirectory : null;
  return [
    ...new Set([
      '/var/run/docker.sock',
      '/run/docker.sock',
      ...(own === null ? [] : [`${own}/docker.sock`]),
      '/run/podman/podman.sock',
      ...(own === null ? [] : [`${own}/podman/podman.sock`]),
      ...added,
    ]),
  ];
}
