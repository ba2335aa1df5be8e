import type { HistorySampler } from '../../core/readings/history.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { numberAfter } from '../../host/linux/proc/text-fields.ts';

export function memoryHistoryLinux({ files }: LinuxHost): HistorySampler {
  const meminfo = files.keep('/proc/meminfo');
  return {
    sample(moment) {
      const text = meminfo.text() ?? '';
      const kilobytes = (name: string) => numberAfter(text, `${name}:`);
      moment.memoryPercent = shareUsed(kilobytes('MemTotal'), kilobytes('MemAvailable'));
      moment.value('memory', moment.memoryPercent);
      const swap = kilobytes('SwapTotal');
      // No series for missing values.
      if (swap !== null && swap > 0) moment.value('swap', shareUsed(swap, kilobytes('SwapFree')));
    },
    close: () => meminfo.close(),
  };
}

const shareUsed = (total: number | null, free: number | null) =>
  total === null || free === null || total === 0 ? null : (100 * Math.max(0, total - free)) / total;
