import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { followLinks, type LinkFollower } from '../../host/linux/net/link-changes.ts';
import { inSlices } from '../../lib/slices.ts';
import { type ActiveVpns, createActiveVpns } from './linux/network-manager.ts';
import { type ConnectionReader, createConnectionReader } from './linux/networks.connections.ts';
import { createInterfaceReader, type InterfaceReader } from './linux/networks.interfaces.ts';
import { toVpns } from './linux/networks.vpns.ts';
import type { Networks } from './networks.schema.ts';

interface Readers {
  interfaces: InterfaceReader;
  connections: ConnectionReader;
}

export const networksLinux: CreateSource<Networks, LinuxHost> = (host) => {
  let readers: Readers | null = null;
  const vpns = createActiveVpns(host.dbus.system, host.clock);
  let follower: LinkFollower | null = null;

  const read = (from: Readers, reasons: Reasons) =>
    inSlices(host.clock, readNetworks(from, follower?.wasQuiet() ?? false, vpns, reasons));

  const open = async (): Promise<Readers> => {
    const [opened] = await Promise.all([openReaders(host), vpns.refresh()]);
    readers = opened;
    return opened;
  };

  return {
    read: (reasons) => (readers === null ? open().then((opened) => read(opened, reasons)) : read(readers, reasons)),
    watch(changed) {
      const started = followLinks(host.netlink, host.clock, changed);
      follower = started;
      const stopVpns = vpns.watch(changed);
      return () => {
        started.stop();
        stopVpns();
      };
    },
    close() {
      readers?.interfaces.close();
      readers?.connections.close();
    },
  };
};

async function openReaders(host: LinuxHost): Promise<Readers> {
  // Without netlink the text files of /proc and /sys are used.
  const netlink = await host.netlink().catch(() => null);
  return {
    interfaces: createInterfaceReader(host, netlink),
    connections: await createConnectionReader(host, netlink),
  };
}

function* readNetworks(
  { interfaces, connections }: Readers,
  unchanged: boolean,
  vpns: ActiveVpns,
  reasons: Reasons,
): Generator<void, Networks> {
  // NetworkManager is read in parallel: the payload does not wait for it, and subscribers are notified.
  void vpns.refresh();
  const { networks, io, links } = yield* interfaces.read(unchanged, reasons);
  const found = toVpns(links, vpns.known());
  if (found.some((vpn) => vpn.interface === null))
    reasons.inherent('vpns[].interface', 'NetworkManager does not report the interface of the connection');
  return { networks, connections: yield* connections.read(reasons), vpns: found, io };
}
