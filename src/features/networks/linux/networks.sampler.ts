import type { HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parseDev } from '../../../host/linux/net/proc-net.links.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import type { ShortFile } from '../../../host/linux/proc/short-file.ts';

/** Bounds the series on a machine with hundreds of containers; the sum includes all interfaces. */
const maxInterfaces = 32;

export function networksHistoryLinux({ files }: LinuxHost): HistorySampler {
  const states = new Map<string, ShortFile>();
  const word = Buffer.alloc(32);
  const isUp = (name: string) => {
    const file = states.get(name) ?? files.short(`/sys/class/net/${name}/operstate`);
    states.set(name, file);
    return isUpState(word.toString('latin1', 0, file.read(word) ?? 0));
  };
  const dev = files.keep(`${netDirectory(files)}/dev`);
  return {
    sample(moment) {
      const all = [...parseDev(dev.text() ?? '')].filter(([name]) => name !== 'lo');
      if (all.length === 0) return;
      let received = 0;
      let sent = 0;
      for (const [, { bytesReceived, bytesSent }] of all) {
        received += bytesReceived;
        sent += bytesSent;
      }
      moment.value('network.received', received);
      moment.value('network.sent', sent);
      const shown = all.slice(0, maxInterfaces);
      for (const [name, file] of states) {
        if (shown.some(([known]) => known === name)) continue;
        file.close();
        states.delete(name);
      }
      for (const [name, { bytesReceived, bytesSent }] of shown) {
        moment.value('network.received', bytesReceived, name);
        moment.value('network.sent', bytesSent, name);
      }
      moment.members(
        'links',
        shown.flatMap(([name]) => (isUp(name) ? [name] : [])),
      );
    },
    close() {
      for (const file of [dev, ...states.values()]) file.close();
    },
  };
}

/** Interfaces without a carrier, such as tunnels, are "unknown". */
const isUpState = (operstate: string) => operstate.startsWith('up') || operstate.startsWith('unknown');
