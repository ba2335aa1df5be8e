import { currentPlatform } from '../lib/platform.ts';

/**
 * Options of the runtime for a long-running, mostly idle service. Its defaults are for busy programs: it compiles early, which takes about
 * 5 MB and, for the first minutes, a quarter of our CPU; it reserves memory for growth; and it scans for unused pages whenever it is idle.
 * Here only hot code is compiled, pages are scanned every 15 s at most, and garbage is collected when there is some, not by a timer, which
 * cost a process with a little work every 15 s more than the work. bench/README.md has the measurements.
 */
export const runtimeOptions = {
  BUN_JSC_useWarmUpMarkedBlocks: '0',
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_thresholdForJITSoon: '1000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeSoon: '8000',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '15000',
  BUN_GC_TIMER_DISABLE: '1',
  // A collector thread and the third compiler need 20 MiB with five listeners, and save no CPU in a service that is mostly idle.
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_useFTLJIT: '0',
  // Collect after 4 MiB of allocations instead of 12: 5 to 8 MiB less after 10,000 requests, with the same CPU (decision 3).
  BUN_JSC_gcMaxHeapSize: '4194304',
};

/**
 * An unknown option prevents the start of the runtime, and options change without notice: so they are set only for the version they were
 * tested with.
 */
export const triedWith = '1.4.4';

const mark = 'HOSTLER_TUNED';

/** The runtime reads these from the environment only when it starts, so this process executes itself again. */
export function tuneRuntime(): void {
  if (currentPlatform !== 'linux' || process.versions.bun !== triedWith) return;
  const { env, execPath, execArgv, argv } = process;
  if (env[mark] !== undefined) {
    // Not inherited by the programs that we start.
    for (const name of [mark, ...Object.keys(runtimeOptions)]) delete env[name];
    return;
  }
  const [, script = '', ...args] = argv;
  const isCompiled = script.startsWith('/$bunfs/');
  try {
    // From source the list of processes would show the path of the runtime.
    process.execve?.(
      execPath,
      [isCompiled ? execPath : 'hostler', ...(isCompiled ? [] : [...execArgv, script]), ...args],
      {
        ...runtimeOptions,
        ...env,
        [mark]: '1',
      },
    );
  } catch {
    // A sandbox may forbid it: the service works without.
  }
}
