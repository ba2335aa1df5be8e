import { explainNulls, type Reasons } from '../../core/reasons.ts';
import type { NetworkInterface, NetworkIo } from './networks.schema.ts';

export function sumOfIo(all: readonly NetworkIo[]): NetworkIo {
  const sum: NetworkIo = {
    bytes_sent: 0,
    bytes_recv: 0,
    packets_sent: 0,
    packets_recv: 0,
    errin: 0,
    errout: 0,
    dropin: 0,
    dropout: 0,
  };
  for (const io of all) for (const key of Object.keys(sum) as (keyof NetworkIo)[]) sum[key] += io[key];
  return sum;
}

/** `because`: the reasons that differ between platforms. */
export function explainAddresses(
  networks: readonly NetworkInterface[],
  because: { broadcast: string; ptp: string },
  reasons: Reasons,
): void {
  const addresses = networks.flatMap((each) => each.addresses);
  const netmask = 'A MAC address has no netmask';
  explainNulls(addresses, 'networks[].addresses[]', { netmask, ...because }, reasons.inherent);
}

/** Wake-on-LAN of physical interfaces. */
export type InterfaceWake = Required<Pick<NetworkInterface, 'wake_on_lan' | 'wake_modes'>>;

export function explainWake(wakes: readonly InterfaceWake[], wake_modes: string, reasons: Reasons): void {
  const wake_on_lan = 'The card, or its driver, cannot wake this machine';
  explainNulls(wakes, 'networks[]', { wake_on_lan, wake_modes }, reasons.inherent);
}
