import type { Reasons } from '../../../core/reasons.ts';
import { type Adapter, loopbackType } from '../../../host/windows/native/iphlpapi.adapters.ts';
import type { System } from '../system.schema.ts';

type Addresses = Pick<System, 'ip_address_4' | 'ip_address_6' | 'mac_address'>;

/** Of the interface with a gateway and the lowest metric, or else of one that is up. */
export function bestAddresses(adapters: Adapter[], reasons: Reasons): Addresses {
  const usable = adapters.filter(({ isUp, type }) => isUp && type !== loopbackType);
  const best = (family: 4 | 6) =>
    usable
      .filter(({ addresses }) => addresses.some((address) => address.family === family && isGlobal(address.address)))
      .sort((a, b) => rank(a, family) - rank(b, family))[0];
  const four = best(4);
  const six = best(6);
  const addressOf = (adapter: Adapter | undefined, family: 4 | 6) =>
    adapter?.addresses.find((one) => one.family === family && isGlobal(one.address))?.address ?? '';
  const found: Addresses = {
    ip_address_4: addressOf(four, 4),
    ip_address_6: addressOf(six, 6),
    mac_address: (four ?? six)?.mac ?? '',
  };
  if (found.ip_address_4 === '') reasons.inherent('ip_address_4', 'No interface with a connection has one');
  if (found.ip_address_6 === '') reasons.inherent('ip_address_6', 'No interface with a connection has one');
  if (found.mac_address === '') reasons.inherent('mac_address', 'No interface with a connection has one');
  return found;
}

const rank = ({ gateways, metric }: Adapter, family: 4 | 6) => metric[family] + (gateways.has(family) ? 0 : 2 ** 32);

/** A link-local IPv6 address is useless without the interface of its reader. */
export const isGlobal = (address: string) => !/^fe[89ab]/i.test(address);
