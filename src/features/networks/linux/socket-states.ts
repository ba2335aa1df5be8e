import { socketStatusOf } from '@hostler/netlink/inet-socket.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { allTcp } from '@hostler/netlink/sock-diag.requests.ts';
import type { Files } from '../../../host/linux/files.ts';

const NETLINK_SOCK_DIAG = 4;

/** The number of TCP and UDP sockets by state, named as in netstat: far cheaper than a list. */
export function* countSocketStates(
  files: Files,
  directory: string,
  netlink: Netlink | null,
  udp: number | null,
): Generator<void, Map<string, number>> {
  const states = new Map<number, number>();
  const count = (state: number) => states.set(state, (states.get(state) ?? 0) + 1);
  if (netlink === null || !(yield* askKernel(netlink, count))) {
    states.clear();
    for (const name of ['tcp', 'tcp6']) {
      countInText(files.text(`${directory}/${name}`) ?? '', count);
      yield;
    }
  }
  const byStatus = new Map<string, number>();
  const add = (status: string, number: number) => byStatus.set(status, (byStatus.get(status) ?? 0) + number);
  for (const [state, number] of states) add(socketStatusOf(1, state), number);
  if (udp !== null && udp > 0) add(socketStatusOf(2, 0), udp);
  return byStatus;
}

/** false: the kernel lacks sock_diag, or messages were lost. */
function* askKernel(netlink: Netlink, count: (state: number) => void): Generator<void, boolean> {
  const socket = netlink.open(NETLINK_SOCK_DIAG);
  try {
    // struct inet_diag_msg: the state is its second byte.
    yield* socket.ask(allTcp.message, allTcp.body, (bytes, at) => count(bytes.getUint8(at + 1)));
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

/** `sl: local remote st …` after a header line; addresses contain no blanks. */
function countInText(text: string, count: (state: number) => void): void {
  for (const line of text.split('\n').slice(1)) {
    const state = line.trim().split(/\s+/, 4)[3];
    if (state !== undefined) count(Number.parseInt(state, 16));
  }
}
