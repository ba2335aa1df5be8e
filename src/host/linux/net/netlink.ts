import type { Netlink } from '@hostler/netlink/netlink.ts';
import { lazily } from '../../../lib/lazily.ts';
import type { Files } from '../files.ts';
import { isOwnNamespace } from '../machine-identity.ts';

/** Loads the code on first use. Rejects with a sentence where the kernel cannot answer for this machine. */
export type LoadNetlink = () => Promise<Netlink>;

export function createLoadNetlink(files: Files): LoadNetlink {
  return lazily(async () => {
    // Moved roots show another machine, or a host from inside a container; its network is ours only if the namespaces are equal.
    if (!isOwnNamespace(files, 'net'))
      throw new Error('The network that HOSTLER_PROC shows is not the one this process is in');
    return (await import('./netlink.socket.ts')).createNetlink();
  });
}
