import type { Advertising } from '../../../core/advertising.ts';
import { collectReasons } from '../../../core/reasons.ts';
import { linkAddresses } from '../../../host/network.ts';
import { pollChanges } from '../../../host/windows/change-poller.ts';
import { type Adapter, loopbackType, parseAdapters } from '../../../host/windows/native/iphlpapi.adapters.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { bestAddresses, isGlobal } from './system.addresses.ts';
import { readWindowsFqdn } from './system.names.ts';

/** Ethernet and wireless: tunnels and virtual switches are not the local network. */
const cards = new Set([6, 71]);
/** Bounded to fit into a packet. */
const mostAddresses = 16;
/** Windows reports changes on its own thread, which must not call the runtime. */
const checkEveryMs = 10_000;

export const advertiseWindows = async (host: WindowsHost): Promise<Advertising> => {
  const native = await host.native();
  const readAdapters = () => {
    const block = native.iphlpapi.adapters();
    return block === null ? [] : parseAdapters(block);
  };
  return {
    facts(isUsed) {
      const { reasons } = collectReasons();
      const hostname = native.kernel32.computerName(1) ?? host.environment.hostname();
      const adapters = readAdapters().map((adapter) => usedBy(adapter, isUsed));
      const best = bestAddresses(adapters, reasons);
      const ip = best.ip_address_4 || best.ip_address_6;
      const reachable = adapters.filter(
        ({ isUp, type, addresses }) => isUp && (cards.has(type) || addresses.some(({ address }) => address === ip)),
      );
      return {
        hostname,
        fqdn: readWindowsFqdn(native, hostname, reasons),
        uuid: String(native.advapi32.value('HKLM', 'SOFTWARE\\Microsoft\\Cryptography', 'MachineGuid') ?? hostname),
        mac: best.mac_address,
        ip,
        addresses: reachable
          .flatMap(({ addresses }) => addresses.map(({ address }) => address))
          .filter(isGlobal)
          .slice(0, mostAddresses),
        through: linkAddresses(reachable.flatMap(toInterfaceAddresses)),
      };
    },
    follow(changed) {
      const snapshot = async () => readAdapters().map(({ name, isUp, addresses }) => [name, isUp, addresses]);
      return pollChanges(host.clock, checkEveryMs, snapshot, changed);
    },
  };
};

const usedBy = (adapter: Adapter, isUsed: (address: string) => boolean): Adapter => ({
  ...adapter,
  addresses: adapter.addresses.filter(({ address }) => isUsed(address)),
});

const toInterfaceAddresses = ({ name, mac, type, addresses }: Adapter) =>
  addresses.map(({ family, address }) => ({
    interface: name,
    family,
    address,
    mac: mac ?? '',
    internal: type === loopbackType,
    scopeId: null,
  }));
