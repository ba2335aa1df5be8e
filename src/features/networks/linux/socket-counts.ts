import type { Files } from '../../../host/linux/files.ts';

/** Number of sockets, from the kernel's counters. null: not reported. */
export function createSocketCensus(files: Files, directory: string) {
  const ipv4 = files.keep(`${directory}/sockstat`);
  const ipv6 = files.keep(`${directory}/sockstat6`);
  return {
    tcp: () => parseTcp(ipv4.text(), ipv6.text()),
    udp: () => parseUdp(ipv4.text(), ipv6.text()),
    close() {
      ipv4.close();
      ipv6.close();
    },
  };
}

/** `TCP: inuse 5 orphan 0 tw 2 alloc 7 mem 1`; the line for IPv6 lacks tw. */
export function parseTcp(ipv4: string | null, ipv6: string | null): number | null {
  const [, inUse, waiting] = /^TCP: inuse (\d+) .*?tw (\d+)/m.exec(ipv4 ?? '') ?? [];
  const inUse6 = /^TCP6: inuse (\d+)/m.exec(ipv6 ?? '')?.[1] ?? '0';
  return inUse === undefined ? null : Number(inUse) + Number(waiting) + Number(inUse6);
}

/** `UDP: inuse 7 mem 0`: sockets with a port, the only ones in its table. */
export function parseUdp(ipv4: string | null, ipv6: string | null): number | null {
  const inUse = /^UDP: inuse (\d+)/m.exec(ipv4 ?? '')?.[1];
  const inUse6 = /^UDP6: inuse (\d+)/m.exec(ipv6 ?? '')?.[1] ?? '0';
  return inUse === undefined ? null : Number(inUse) + Number(inUse6);
}
