import type { FoundService } from './found-services.ts';

/** What Prometheus reads from a file (file_sd) or by HTTP (http_sd). https://prometheus.io/docs/prometheus/latest/http_sd/ */
export interface TargetGroup {
  targets: string[];
  labels: Record<string, string>;
}

/** One group per service, because labels belong to groups. Services without an address are left out. */
export function toTargetGroups(services: readonly FoundService[]): TargetGroup[] {
  const groups = new Map<string, TargetGroup>();
  for (const { name, address, version, uuid, host } of services) {
    const place = placeIn(address);
    if (place === null || groups.has(place.target)) continue;
    groups.set(place.target, {
      targets: [place.target],
      labels: {
        __scheme__: place.scheme,
        __meta_hostler_name: name,
        __meta_hostler_host: host,
        __meta_hostler_uuid: uuid,
        __meta_hostler_version: version,
      },
    });
  }
  return [...groups.values()];
}

/** Of `http://192.168.1.5:9170`, which a machine on the network announced. */
function placeIn(address: string): { target: string; scheme: string } | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port, username, password } = new URL(address);
  const scheme = protocol.slice(0, -1);
  if ((scheme !== 'http' && scheme !== 'https') || username !== '' || password !== '') return null;
  return { target: `${hostname}:${port || (scheme === 'https' ? 443 : 80)}`, scheme };
}
