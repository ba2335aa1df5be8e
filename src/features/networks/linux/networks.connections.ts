import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { NetworkConnection } from '../networks.schema.ts';
import { createInetSocketReader } from './inet-sockets.ts';
import { createSocketOwners, type SocketOwner } from './socket-owners.ts';

export type ConnectionReader = Awaited<ReturnType<typeof createConnectionReader>>;

/** A message to a client holds at most 4 MiB, and a connection takes up to 220 bytes of it. */
const mostConnections = 15_000;

export async function createConnectionReader(host: LinuxHost, netlink: Netlink | null) {
  const { files, environment, clock } = host;
  const reader = createInetSocketReader(files, netlink, () => clock.monotonic());
  const ownPid = Number(files.link('/proc/self') ?? Number.NaN);
  // The /proc of another PID namespace has other numbers for the same processes, ours included.
  const isOurs = ownPid === environment.pid;
  const owners = createSocketOwners({
    files,
    ownPid: isOurs ? ownPid : null,
    ownUid: environment.uid,
    clock: isOurs ? await host.processClock().catch(() => null) : null,
    now: () => clock.monotonic(),
  });
  /** An entry is reused while the socket and its owner are the same. */
  const shown = new WeakMap<InetSocket, { owner: SocketOwner | null; connection: NetworkConnection }>();
  const show = (socket: InetSocket, owner: SocketOwner | null): NetworkConnection => {
    const last = shown.get(socket);
    if (last !== undefined && last.owner === owner) return last.connection;
    const connection = toConnection(socket, owner);
    shown.set(socket, { owner, connection });
    return connection;
  };
  return {
    *read(reasons: Reasons): Generator<void, NetworkConnection[]> {
      const { sockets, cut, missing } = yield* reader.read(mostConnections);
      yield* owners.update(sockets);
      const connections: NetworkConnection[] = [];
      let ownerless = false;
      let unknown = false;
      let unconnected = false;
      for (const socket of sockets) {
        const owner = owners.of(socket);
        if (owner === null) {
          if (socket.inode === 0) ownerless = true;
          else unknown = true;
        }
        if (socket.remote === null) unconnected = true;
        connections.push(show(socket, owner));
      }
      explain(
        { ownerless, unknown, unconnected, hidden: owners.hidden(), cut, missing },
        environment.uid === 0,
        reasons,
      );
      return connections;
    },
    close: reader.close,
  };
}

function toConnection(
  { family, type, local, remote, status }: InetSocket,
  owner: SocketOwner | null,
): NetworkConnection {
  return {
    fd: owner?.descriptor ?? null,
    family,
    type,
    laddr: local,
    raddr: remote,
    status,
    pid: owner?.pid ?? null,
  };
}

interface Findings {
  ownerless: boolean;
  unknown: boolean;
  unconnected: boolean;
  hidden: boolean;
  cut: boolean;
  missing: string[];
}

function explain(
  { ownerless, unknown, unconnected, hidden, cut, missing }: Findings,
  isRoot: boolean,
  reasons: Reasons,
): void {
  if (unconnected) {
    reasons.inherent('connections[].raddr', 'A socket that is listening or was never connected has no remote address');
  }
  if (ownerless || (unknown && !hidden)) {
    const sentence = 'No process holds these sockets: they are being closed, not accepted yet, or belong to the kernel';
    ownersUnknown(reasons.inherent, sentence);
  }
  if (unknown && hidden && isRoot) ownersUnknown(reasons.inherent, 'Some processes hide their sockets, also from root');
  else if (unknown && hidden)
    ownersUnknown(
      reasons.missing,
      'The sockets of some processes are not visible to this user; run the service as root, or give it CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH',
    );
  if (cut) {
    reasons.inherent('connections', `There are more than ${mostConnections} connections; the rest are left out`);
  }
  if (missing.length > 0) {
    const names = missing.map((name) => `/proc/net/${name}`).join(', ');
    reasons.missing('connections', `${names} cannot be read; mount /proc, or set HOSTLER_PROC to where it is mounted`);
  }
}

function ownersUnknown(say: Reasons['inherent'], sentence: string): void {
  for (const field of ['pid', 'fd']) say(`connections[].${field}`, sentence);
}
