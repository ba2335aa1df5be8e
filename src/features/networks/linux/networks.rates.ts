import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseDev } from '../../../host/linux/net/proc-net.links.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import type { InterfaceTraffic } from '../networks.traffic.ts';

export function interfaceTrafficLinux({ files }: Pick<LinuxHost, 'files'>): Map<string, InterfaceTraffic> {
  const counted = parseDev(files.text(`${netDirectory(files)}/dev`) ?? '');
  return new Map(
    [...counted].map(([name, { bytesReceived, bytesSent }]) => [name, { received: bytesReceived, sent: bytesSent }]),
  );
}
