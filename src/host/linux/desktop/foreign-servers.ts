import { busDaemon } from '@hostler/dbus/dbus.ts';
import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import type { LinuxHost } from '../linux-host.ts';

const timeoutMs = 2000;

/** Why buses, displays and directories that the variables name are not used; each a clause. */
export async function findForeignServers({ session, dbus }: Pick<LinuxHost, 'session' | 'dbus'>): Promise<string[]> {
  const { refused = [] } = await session.find(true);
  const system = await dbus.system.call({ ...busDaemon, member: 'GetId', timeoutMs }).then(
    () => null,
    (error: unknown) => peerRefusalIn(error),
  );
  return [...refused, ...(system === null ? [] : [system.message])];
}
