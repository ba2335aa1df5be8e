import type { Host } from '../../../host/host.ts';
import { toPciAddress } from './nvml.library.ts';

export type SmiValue = string | number | null;
/** One GPU as nvidia-smi reports it, by our field names. */
export type SmiGpu = Record<string, SmiValue>;

/** Our fields, and their names in nvidia-smi. */
const queries: [field: string, query: string][] = [
  ['id', 'pci.bus_id'],
  ['name', 'name'],
  ['core_clock', 'clocks.current.graphics'],
  ['core_load', 'utilization.gpu'],
  ['memory_clock', 'clocks.current.memory'],
  ['memory_load', 'utilization.memory'],
  ['memory_free', 'memory.free'],
  ['memory_used', 'memory.used'],
  ['memory_total', 'memory.total'],
  ['power_usage', 'power.draw'],
  ['temperature', 'temperature.gpu'],
];

export const smiFields = queries.map(([field]) => field);

export async function querySmi(host: Pick<Host, 'run'>, program: string): Promise<SmiGpu[]> {
  const query = `--query-gpu=${queries.map(([, name]) => name).join(',')}`;
  const { exitCode, stdout, stderr } = await host.run(program, [query, '--format=csv,noheader,nounits'], {
    timeoutMs: 60_000,
  });
  if (exitCode !== 0) throw new Error(`${program} failed with ${exitCode}: ${(stderr || stdout).trim()}`);
  return parseSmi(stdout);
}

export function parseSmi(text: string): SmiGpu[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const cells = line.split(',').map((cell) => cell.trim());
    return Object.fromEntries(smiFields.map((field, index) => [field, toValue(field, cells[index] ?? '')]));
  });
}

function toValue(field: string, cell: string): SmiValue {
  if (field === 'id') return toPciAddress(cell);
  if (field === 'name') return cell;
  // "[N/A]", "[Not Supported]", "[Unknown Error]"
  return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : null;
}

/** Beside the search path: containers, WSL and NixOS. */
const places = ['/usr/local/nvidia/bin', '/usr/lib/wsl/lib', '/run/current-system/sw/bin'];

export const findSmi = ({ launch }: Pick<Host, 'launch'>) => launch.find('nvidia-smi', places);
