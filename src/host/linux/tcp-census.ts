import type { Files } from '../files.ts';

/** How many TCP sockets there are, which the kernel counts anyway. null: it does not tell. */
export interface TcpCensus {
  read(): number | null;
  close(): void;
}

export function createTcpCensus(files: Files, directory: string): TcpCensus {
  const ipv4 = files.keep(`${directory}/sockstat`);
  const ipv6 = files.keep(`${directory}/sockstat6`);
  return {
    read: () => parseCensus(ipv4.text(), ipv6.text()),
    close() {
      ipv4.close();
      ipv6.close();
    },
  };
}

/** `TCP: inuse 5 orphan 0 tw 2 alloc 7 mem 1`, and for IPv6 without those that wait. */
export function parseCensus(ipv4: string | null, ipv6: string | null): number | null {
  const [, inUse, waiting] = /^TCP: inuse (\d+) .*?tw (\d+)/m.exec(ipv4 ?? '') ?? [];
  const inUse6 = /^TCP6: inuse (\d+)/m.exec(ipv6 ?? '')?.[1] ?? '0';
  return inUse === undefined ? null : Number(inUse) + Number(waiting) + Number(inUse6);
}
