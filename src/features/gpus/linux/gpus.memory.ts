import type { Files } from '../../../host/linux/files.ts';
import type { GpuDevice } from './gpus.devices.ts';
import { memoryWindow } from './pci.ts';

/** Dedicated memory in bytes; null: unknown, or none. */
export function readMemoryTotal(files: Files, { directory, pci, driver }: GpuDevice): number | null {
  const amdgpu = numberIn(files, `${directory}/mem_info_vram_total`);
  if (amdgpu !== null) return amdgpu;
  const tiles = driver === 'xe' ? files.list(directory).filter((name) => /^tile\d+$/.test(name)) : [];
  const xe = tiles.reduce(
    (sum, tile) => sum + (numberIn(files, `${directory}/${tile}/physical_vram_size_bytes`) ?? 0),
    0,
  );
  if (xe > 0) return xe;
  // Their PCI window covers a part of the memory, or more than all of it.
  if (pci === null || ['10de', '1002', '8086'].includes(pci.vendor)) return null;
  return memoryWindow(files.text(`${directory}/resource`));
}

function numberIn(files: Files, file: string): number | null {
  const value = Number(files.text(file) ?? Number.NaN);
  return value > 0 ? value : null;
}
