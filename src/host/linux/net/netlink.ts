import fs from 'node:fs';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import type { Files } from '../files.ts';

/** Loads what is needed for it. Rejects with a sentence where the kernel cannot be asked about this machine. */
export type LoadNetlink = () => Promise<Netlink>;

export function createLoadNetlink(files: Files): LoadNetlink {
  let loading: Promise<Netlink> | null = null;
  const load = async () => {
    // Moved roots show another machine, or a host from inside a container; its network is ours only if it says so.
    if (files.moved('/proc') && files.link('/proc/1/ns/net') !== ownNamespace()) {
      throw new Error('The network that HOSTLER_PROC shows is not the one this process is in');
    }
    return (await import('./netlink.socket.ts')).createNetlink();
  };
  return () => {
    loading ??= load();
    return loading;
  };
}

function ownNamespace(): string | undefined {
  try {
    return fs.readlinkSync('/proc/self/ns/net');
  } catch {
    return undefined;
  }
}
