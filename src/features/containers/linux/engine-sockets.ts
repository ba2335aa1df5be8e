import fs from 'node:fs';
import path from 'node:path';
import { definePart, partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { exposureOf } from '../../../host/linux/storage/exposure.ts';
import { codeOf } from '../../../lib/errors.ts';
import type { EngineAccess, SocketPlace } from '../containers.contract.ts';

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
    // EACCES: a directory of another user, such as a runtime directory.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return { kind: 'absent' };
    return refused(`it cannot be inspected (${code})`);
  }
}

const refused = (problem: string): SocketPlace => ({ kind: 'refused', problem });

export const socketLookup = definePart<(place: string) => SocketPlace, LinuxHost>({
  name: 'containers.socket-lookup',
  create: () => lookUpSocket,
  absent: () => ({ kind: 'absent' }),
});

export const engineAccessLinux = (host: LinuxHost): EngineAccess => {
  const runtimeDirectory = () => host.environment.variable('XDG_RUNTIME_DIR');
  return {
    clock: host.clock,
    connectLocal: host.connectLocal,
    places: (added) => engineSocketPaths(runtimeDirectory(), added),
    lookUp: async (place) => (await partOf(host, socketLookup))(place),
    runtimeDirectory,
  };
};

/** The default paths of engines, and those of the settings. */
export function engineSocketPaths(runtimeDirectory: string | null, added: readonly string[]): string[] {
  const own = (name: string) => (runtimeDirectory?.startsWith('/') ? [`${runtimeDirectory}/${name}`] : []);
  const usual = ['/var/run/docker.sock', '/run/docker.sock', ...own('docker.sock')];
  return [...new Set([...usual, '/run/podman/podman.sock', ...own('podman/podman.sock'), ...added])];
}
