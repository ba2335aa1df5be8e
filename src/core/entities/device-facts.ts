import type { DeviceFacts } from '../readings/entities.ts';
import type { TransportParts } from '../transport.ts';

const unknown: DeviceFacts = { id: null, name: null, manufacturer: null, model: null, mac: null, address: null };

/** The identity of this machine, from the first module that knows it. */
export async function readDeviceFacts({
  service,
  host,
}: Pick<TransportParts, 'service' | 'host'>): Promise<DeviceFacts> {
  for (const { name, entities } of service.modules) {
    const { device } = (await entities?.(host)) ?? {};
    if (device === undefined) continue;
    try {
      return device((await service.store.get(name)).payload);
    } catch {}
  }
  return unknown;
}

/** The dashboard's address for other machines; null: not reachable. */
export function configurationUrl(
  { address }: DeviceFacts,
  { listenOn, routeTable }: Pick<TransportParts, 'listenOn' | 'routeTable'>,
): string | null {
  const isHidden = /^(?:127\.|::1$|localhost$)/.test(listenOn.address);
  if (address === null || isHidden) return null;
  const { plain = { port: listenOn.port, isLocalOnly: false }, securePort } = routeTable.listener ?? {};
  const name = address.includes(':') ? `[${address}]` : address;
  if (plain !== null && !plain.isLocalOnly) return `http://${name}:${plain.port}`;
  const secure = securePort?.() ?? null;
  return secure === null ? null : `https://${name}:${secure}`;
}
