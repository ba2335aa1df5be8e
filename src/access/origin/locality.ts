import type { Host } from '../../host/host.ts';
import type { TcpEnd } from '../../host/peer-user.ts';

/**
 * Says whether the other end of a connection is a process of the user this service runs as. That is what "on the machine itself" means
 * for TCP: an address alone says nothing, because a forwarder on this machine has a local one as well. Root is no exception: the
 * forwarders of a system run as root.
 */
export function createLocality(
  { isOurPeer }: Pick<Host, 'isOurPeer'>,
  port: () => number,
): (peer: TcpEnd) => Promise<boolean> {
  return (peer) => isOurPeer(peer, port());
}
