import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Advapi32 } from '../../host/windows/native/advapi32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createNvidia, type NvidiaGpu } from './gpus.nvidia.ts';
import type { Gpu, Gpus } from './gpus.schema.ts';
import { mebibytes, unknownMetrics } from './gpus.values.ts';

const adapters = 'SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}';

/** NVIDIA's own library where there is one; of others what their drivers wrote into the registry. */
export const gpusWindows: CreateSource<Gpus, WindowsHost> = (host) => {
  const nvidia = createNvidia(host.nvml, host.clock);
  return {
    async read(reasons) {
      const { advapi32 } = await host.native();
      const known = readAdapters(advapi32);
      const hasNvidia = known.some(isNvidia);
      const driver = hasNvidia ? await nvidia.read() : { gpus: [], problem: null };
      const own = driver.gpus.map((gpu) => fromNvidia(gpu, reasons));
      const others = known.filter((gpu) => own.length === 0 || !isNvidia(gpu));
      if (others.length > 0) explain(others, driver.problem, reasons);
      if (own.length + others.length === 0) reasons.inherent(null, 'This machine has no GPU');
      else reasons.inherent('[].fan_speed', 'The module sensors has the fans');
      return [...own, ...others];
    },
    close: nvidia.close,
  };
};

const isNvidia = ({ name }: Gpu) => /nvidia/i.test(name);

/** One key for each adapter that a driver was installed for; pretended ones have no bus they are on. */
function readAdapters(advapi32: Advapi32): Gpu[] {
  return advapi32
    .keys('HKLM', adapters)
    .filter((key) => /^\d{4}$/.test(key))
    .flatMap((key): Gpu[] => {
      const at = `${adapters}\\${key}`;
      const name = String(advapi32.value('HKLM', at, 'DriverDesc') ?? '');
      const id = String(advapi32.value('HKLM', at, 'MatchingDeviceId') ?? '');
      if (name === '' || !/^pci\\/i.test(id)) return [];
      const bytes = advapi32.bigValue('HKLM', at, 'HardwareInformation.qwMemorySize');
      const memory_total = bytes === null || bytes === 0 ? null : mebibytes(bytes);
      return [{ id: `${id.toLowerCase()}#${key}`, name, ...unknownMetrics, memory_total, fan_speed: null }];
    });
}

function fromNvidia({ id, name, metrics, problems }: NvidiaGpu, reasons: Reasons): Gpu {
  const called = name ?? 'NVIDIA GPU';
  for (const { metric, sentence, mendable } of problems)
    reasons[mendable ? 'missing' : 'inherent'](`[].${metric}`, `${called}: ${sentence}`);
  return { id, name: called, ...metrics, fan_speed: null };
}

function explain(gpus: Gpu[], problem: string | null, reasons: Reasons): void {
  const names = gpus.map(({ name }) => name).join(', ');
  for (const metric of Object.keys(unknownMetrics) as (keyof typeof unknownMetrics)[]) {
    if (gpus.every((gpu) => gpu[metric] !== null)) continue;
    if (problem !== null) reasons.missing(`[].${metric}`, problem);
    else reasons.inherent(`[].${metric}`, `${names}: this version reads it of NVIDIA's GPUs only on Windows`);
  }
}
