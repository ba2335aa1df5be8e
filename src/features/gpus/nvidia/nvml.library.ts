import type { Pointer } from '../../../host/ffi.ts';

export interface NvmlLibrary {
  /** 0, or an error code. */
  start(): number;
  stop(): void;
  devices(): NvmlDevice[];
}

const call = (...args: ('ptr' | 'u32' | 'u64')[]) => ({ args, returns: 'i32' }) as const;

const functions = {
  nvmlInit_v2: call(),
  nvmlShutdown: call(),
  nvmlDeviceGetCount_v2: call('ptr'),
  nvmlDeviceGetHandleByIndex_v2: call('u32', 'ptr'),
  nvmlDeviceGetUUID: call('ptr', 'ptr', 'u32'),
  nvmlDeviceGetName: call('ptr', 'ptr', 'u32'),
  nvmlDeviceGetPciInfo_v3: call('ptr', 'ptr'),
  nvmlDeviceGetClockInfo: call('ptr', 'u32', 'ptr'),
  nvmlDeviceGetUtilizationRates: call('ptr', 'ptr'),
  nvmlDeviceGetMemoryInfo: call('ptr', 'ptr'),
  nvmlDeviceGetPowerUsage: call('ptr', 'ptr'),
  nvmlDeviceGetTemperature: call('ptr', 'u32', 'ptr'),
};
/** Drivers before 510 have only the older form, which counts reserved memory as used. */
const newer = { nvmlDeviceGetMemoryInfo_v2: call('ptr', 'ptr') };

/** Since driver 450. The third form has had two layouts; this one never changed. */
const lists = {
  nvmlDeviceGetComputeRunningProcesses_v2: call('ptr', 'ptr', 'ptr'),
  nvmlDeviceGetGraphicsRunningProcesses_v2: call('ptr', 'ptr', 'ptr'),
};
/** Recent load by process; not all GPUs report it. */
const shares = { nvmlDeviceGetProcessUtilization: call('ptr', 'ptr', 'ptr', 'u64') };
/** On Linux only. */
const persistence = { nvmlDeviceGetPersistenceMode: call('ptr', 'ptr') };
/** struct nvmlProcessUtilizationSample_t: PID, microseconds since 1970, percent of the cores, and three more. */
const sampleBytes = 32;
/** The driver samples several times a second; a process without a sample this recent was idle. */
const recentMs = 2000;
const NVML_ERROR_NOT_FOUND = 6;
/** struct nvmlProcessInfo_v2_t: PID, bytes, and two fields of a divided GPU. */
const processBytes = 24;
const mostProcesses = 1024;
/** Not available on Windows, except for compute-only GPUs. */
const notAvailable = 0xffff_ffff_ffff_ffffn;

const NVML_CLOCK_GRAPHICS = 0;
const NVML_CLOCK_MEM = 2;
const NVML_TEMPERATURE_GPU = 0;
const memoryV2Bytes = 40;
const memoryV2Version = memoryV2Bytes | (2 << 24);
const textBytes = 96;
/** Offset of the address in nvmlPciInfo_t: after the short form and five numbers. */
const busIdAt = 16 + 5 * 4;

/** null: not on this machine. */
export async function openNvmlLibrary(names: string[]): Promise<NvmlLibrary | null> {
  const { address, openLibrary, pinned } = await import('../../../host/ffi.ts');
  const library = openLibrary(names, functions);
  if (library === null) return null;
  const { symbols } = library;
  const memoryInfo = orNull(() => openLibrary(names, newer)?.symbols.nvmlDeviceGetMemoryInfo_v2 ?? null);
  const listing = orNull(() => openLibrary(names, lists)?.symbols ?? null);
  const persisting = orNull(() => openLibrary(names, persistence)?.symbols ?? null);
  const sharing = orNull(() => openLibrary(names, shares)?.symbols ?? null);
  // Both lists, one after the other.
  const listed = pinned(mostProcesses * Math.max(processBytes, sampleBytes));
  const listView = new DataView(listed.buffer);
  // All calls are synchronous and share one result buffer.
  const memory = pinned(128);
  const answer = address(memory);
  const view = new DataView(memory.buffer);
  const word = (at: number) => view.getUint32(at, true);
  const long = (at: number) => Number(view.getBigUint64(at, true));
  const text = (from = 0) => {
    const end = memory.indexOf(0, from);
    return new TextDecoder().decode(memory.slice(from, end < 0 ? textBytes : end));
  };

  const readMemory = (device: Pointer, into: Into) => {
    if (memoryInfo === null) {
      const code = symbols.nvmlDeviceGetMemoryInfo(device, answer);
      into(code, { memoryTotal: long(0), memoryFree: long(8), memoryUsed: long(16) });
      return;
    }
    view.setUint32(0, memoryV2Version, true);
    const code = memoryInfo(device, answer);
    into(code, { memoryTotal: long(8), memoryFree: long(24), memoryUsed: long(32) });
  };

  /** A program that computes and draws is in both lists, with the same memory. */
  const readProcesses = (device: Pointer): NvmlProcess[] | number => {
    const found = new Map<number, NvmlProcess>();
    const codes = (Object.keys(lists) as (keyof typeof lists)[]).map((list) => {
      view.setUint32(0, mostProcesses, true);
      const code = listing?.[list](device, answer, address(listed)) ?? 0;
      for (let index = 0; code === 0 && index < Math.min(word(0), mostProcesses); index++) {
        const pid = listView.getUint32(index * processBytes, true);
        const bytes = listView.getBigUint64(index * processBytes + 8, true);
        const before = found.get(pid)?.memory ?? null;
        const memory = bytes === notAvailable ? before : Math.max(Number(bytes), before ?? 0);
        found.set(pid, { pid, memory, load: null });
      }
      return code;
    });
    // Some GPUs only compute, and have one of the lists.
    if (!codes.includes(0)) return codes[0] ?? 0;
    // 2.4 ms of CPU time on an H200, thirty times the other calls together: not without a process to report.
    if (found.size === 0) return [];
    const loads = readLoads(device);
    return [...found.values()].map((process) => ({
      ...process,
      load: loads === null ? null : (loads(process.pid) ?? 0),
    }));
  };

  /** The newest sample of each process. null: not reported by this GPU. */
  const readLoads = (device: Pointer): ((pid: number) => number | undefined) | null => {
    view.setUint32(0, mostProcesses, true);
    const since = BigInt(Date.now() - recentMs) * 1000n;
    const code = sharing?.nvmlDeviceGetProcessUtilization(device, address(listed), answer, since);
    if (code !== 0 && code !== NVML_ERROR_NOT_FOUND) return null;
    const newest = new Map<number, { at: bigint; load: number }>();
    for (let index = 0; code === 0 && index < Math.min(word(0), mostProcesses); index++) {
      const from = index * sampleBytes;
      const pid = listView.getUint32(from, true);
      const at = listView.getBigUint64(from + 8, true);
      if (at > (newest.get(pid)?.at ?? since)) newest.set(pid, { at, load: listView.getUint32(from + 16, true) });
    }
    return (pid) => newest.get(pid)?.load;
  };

  const read = (device: Pointer): NvmlReading => {
    const values: NvmlReading['values'] = {};
    const codes: NvmlReading['codes'] = {};
    const into: Into = (code, given) => {
      for (const [name, value] of Object.entries(given) as [NvmlMetric, number][]) {
        if (code === 0) values[name] = value;
        else codes[name] = code;
      }
    };
    readMemory(device, into);
    into(symbols.nvmlDeviceGetUtilizationRates(device, answer), { coreLoad: word(0), memoryLoad: word(4) });
    into(symbols.nvmlDeviceGetClockInfo(device, NVML_CLOCK_GRAPHICS, answer), { coreClock: word(0) });
    into(symbols.nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, answer), { memoryClock: word(0) });
    into(symbols.nvmlDeviceGetPowerUsage(device, answer), { power: word(0) });
    into(symbols.nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, answer), { temperature: word(0) });
    return listing === null ? { values, codes } : { values, codes, processes: readProcesses(device) };
  };

  const describe = (index: number): NvmlDevice[] => {
    // A lost GPU has no handle; the others have.
    if (symbols.nvmlDeviceGetHandleByIndex_v2(index, answer) !== 0) return [];
    const device = long(0) as Pointer;
    const uuid = symbols.nvmlDeviceGetUUID(device, answer, textBytes) === 0 ? text() : null;
    const name = symbols.nvmlDeviceGetName(device, answer, textBytes) === 0 ? text() : null;
    const pci = symbols.nvmlDeviceGetPciInfo_v3(device, answer) === 0 ? toPciAddress(text(busIdAt)) : null;
    const staysAwake = persisting?.nvmlDeviceGetPersistenceMode(device, answer) === 0 && word(0) === 1;
    return [{ uuid, name, pci, staysAwake, read: () => read(device) }];
  };

  return {
    start: () => symbols.nvmlInit_v2(),
    stop: () => void symbols.nvmlShutdown(),
    devices() {
      const count = symbols.nvmlDeviceGetCount_v2(answer) === 0 ? word(0) : 0;
      return Array.from({ length: count }, (_, index) => describe(index)).flat();
    },
  };
}

/** Stores the value if the code is 0, and the error otherwise. */
type Into = (code: number, given: Partial<Record<NvmlMetric, number>>) => void;

/** NVML writes the domain with eight digits, the kernel with four unless it needs more. */
export function toPciAddress(busId: string): string | null {
  const [, domain, rest] = /^([0-9a-f]+):([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/.exec(busId.toLowerCase()) ?? [];
  return domain === undefined ? null : `${domain.replace(/^0+/, '').padStart(4, '0')}:${rest}`;
}

function orNull<T>(open: () => T | null): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}

export interface NvmlDevice {
  /** As in /sys, such as 0000:01:00.0; null: not on the PCI bus. */
  pci: string | null;
  uuid: string | null;
  name: string | null;
  /** Persistence mode: the driver keeps this GPU awake, whether the session is open or not. Omitted: unknown. */
  staysAwake?: boolean;
  read(): NvmlReading;
}

/** Clocks in MHz, loads in percent, memory in bytes, power in milliwatts, temperature in °C. */
export type NvmlMetric =
  | 'coreClock'
  | 'memoryClock'
  | 'coreLoad'
  | 'memoryLoad'
  | 'memoryFree'
  | 'memoryUsed'
  | 'memoryTotal'
  | 'power'
  | 'temperature';

export interface NvmlProcess {
  pid: number;
  /** Bytes; null: not reported by the driver. */
  memory: number | null;
  /** Recent share of time the GPU worked for it, percent; null: not reported by the driver. */
  load: number | null;
}

export interface NvmlReading {
  values: Partial<Record<NvmlMetric, number>>;
  codes: Partial<Record<NvmlMetric, number>>;
  /** Its processes, or the error code; undefined: the library lacks the function. */
  processes?: NvmlProcess[] | number;
}
