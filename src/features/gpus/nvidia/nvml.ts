import { definePart } from '../../../core/part.ts';
import type { NvmlDevice, NvmlLibrary } from './nvml.library.ts';

/** NVIDIA's management library, which comes with the driver. https://docs.nvidia.com/deploy/nvml-api */
export type Nvml = ReturnType<typeof createNvml>;

export interface NvmlSession {
  /** As of opening; a divided GPU (MIG) counts as a whole. */
  devices: NvmlDevice[];
  /** Lets the GPUs sleep again. */
  close(): void;
}

/** The message says what to do. */
class NvmlError extends Error {
  override readonly name = 'NvmlError';
}

/** Some systems keep the driver's libraries outside the search path. */
const names = [
  'libnvidia-ml.so.1',
  '/run/opengl-driver/lib/libnvidia-ml.so.1',
  '/usr/lib/wsl/lib/libnvidia-ml.so.1',
  '/usr/local/nvidia/lib64/libnvidia-ml.so.1',
];

export const nvml = definePart<Nvml>({
  name: 'gpus.nvml',
  create: () => createNvml(),
  absent: {
    open: async () => {
      throw new NvmlError('A recording contains no data of the NVIDIA driver');
    },
  },
});

export function createNvml(libraries: string[] = names) {
  let library: NvmlLibrary | null = null;
  return {
    /** Loads the library at the first call, and lists the GPUs of the driver. May take seconds. Throws NvmlError. */
    async open(): Promise<NvmlSession> {
      library ??= await (await import('./nvml.library.ts')).openNvmlLibrary(libraries);
      if (library === null) {
        const name = libraries[0]?.split(/[\\/]/).at(-1);
        throw new NvmlError(`${name} is missing; install the NVIDIA driver package that contains it`);
      }
      const { start, stop, devices } = library;
      check(start());
      try {
        return { devices: devices(), close: stop };
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}

function check(code: number): void {
  if (code !== 0) throw new NvmlError(nvmlProblem(code));
}

export const NVML_ERROR_NOT_SUPPORTED = 3;

const problems: Record<number, string> = {
  3: 'This GPU does not report it',
  4: 'This user may not query the NVIDIA driver; add it to the group that owns /dev/nvidiactl',
  9: 'The NVIDIA driver is not loaded; load the kernel module nvidia',
  10: 'The NVIDIA driver did not answer in time',
  11: 'The GPU cannot interrupt the processor; restart the machine',
  15: 'The GPU has fallen off the bus; restart the machine',
  16: 'The GPU must be reset; restart the machine, or what uses the GPU and then the driver',
  17: 'The operating system keeps the NVIDIA driver from the GPU; allow this service its devices',
  18: 'The NVIDIA driver was updated while it ran; restart the machine',
};

export function nvmlProblem(code: number): string {
  return problems[code] ?? `The NVIDIA driver failed with NVML error ${code}; restart the machine if this persists`;
}

/** Codes that invalidate the list of GPUs: the session must be reopened. */
export const endsSession = (code: number): boolean => [1, 9, 15, 16, 18, 999].includes(code);
