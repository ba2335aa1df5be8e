import type { Advertising } from '../../../core/advertising.ts';
import { collectReasons } from '../../../core/reasons.ts';
import { machineUuid } from '../../../host/linux/hardware/machine-uuid.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { followLinks } from '../../../host/linux/net/link-changes.ts';
import { isOnLink, linkAddresses } from '../../../host/network.ts';
import { sha256 } from '../../../lib/digest.ts';
import { readAddresses } from './system.addresses.ts';
import { readFqdn } from './system.names.ts';

export const advertiseLinux = (host: LinuxHost): Advertising => ({
  facts(isUsed) {
    const { files, network, environment } = host;
    // The name of the machine; the addresses are those of this process's network.
    const hostname = host.identity.hostname().value ?? environment.hostname();
    const identity = { ...host.identity, sharesNetwork: true };
    const { reasons } = collectReasons();
    const all = network.addresses().filter(isOnLink);
    const used = all.filter(({ address }) => isUsed(address));
    const best = readAddresses({ files, identity, network: { ...network, addresses: () => used } }, reasons);
    const ip = best.ip_address_4 || best.ip_address_6;
    const home = used.find(({ address }) => address === ip)?.interface;
    // Bridges of containers have the same address on every machine.
    const isCard = (name: string) => files.exists(`/sys/class/net/${name}/device`);
    const reachable = used.filter(({ interface: name }) => name === home || isCard(name));
    return {
      hostname,
      fqdn: readFqdn(hostname, files, reasons),
      uuid: machineUuid(host, sha256).uuid,
      mac: best.mac_address,
      ip,
      addresses: reachable
        .map(({ address }) => address)
        .filter(isGlobal)
        .slice(0, mostAddresses),
      through: linkAddresses(all.filter(({ interface: name }) => used.some((address) => address.interface === name))),
    };
  },
  follow: (changed) => followLinks(host.netlink, host.clock, changed).stop,
});

/** Bounded to fit into a packet. */
const mostAddresses = 16;

/** A link-local IPv6 address is useless without the interface of its reader. */
const isGlobal = (address: string) => !/^fe[89ab]/i.test(address);
