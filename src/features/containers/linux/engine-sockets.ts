import fs from 'node:fs';
import path from 'node:path';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { exposureOf } from '../../../host/linux/storage/exposure.ts';
import { codeOf } from '../../../lib/errors.ts';
import type { SocketPlace } from '../socket-status.ts';

/**
 * Answers from the socket of an engine are trusted, so the socket must belong to this user or to root, in directories where no other user
 * can replace it. Its own permissions do not matter: the group of the engine may connect.
 */
export function lookUpSocket(place: string): SocketPlace {
  try {
    // Most sockets do not exist, and an exception costs ten times as much as the call.
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
    // A directory of another user, such as a runtime directory.
    if (code === 'EACCES') return { kind: 'absent' };
    return refused(`it cannot be inspected (${code})`);
  }
}

const refused = (problem: string): SocketPlace => ({ kind: 'refused', problem });

export const socketLookup = definePart<(place: string) => SocketPlace, LinuxHost>({
  name: 'containers.socket-lookup',
  create: () => lookUpSocket,
  absent: () => ({ kind: 'absent' }),
});

/** The default paths of engines, and those of the settings. */
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
