import { currentPlatform } from '../lib/platform.ts';

/**
 * How the runtime runs a service that does little, for years. It is made for programs that are busy: it compiles
 * early, which takes some 5 MB and, for the first minutes, a quarter of our CPU; it keeps memory ready for growth; and whenever there is
 * nothing to do it looks for unused pages. Here only what is hot is compiled, pages are looked for every 4 s
 * at most, and garbage is looked for when there is some, not by a timer: that cost a process which does a little every 15 s more than what it did.
 * bench/README.md has what that brings.
 */
const options = {
  BUN_JSC_useWarmUpMarkedBlocks: '0',
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_thresholdForJITSoon: '1000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeSoon: '8000',
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '4000',
  BUN_GC_TIMER_DISABLE: '1',
  // A collector thread and the third compiler need 20 MiB with five listeners, and save no CPU in a service that is mostly idle.
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_useFTLJIT: '0',
  // Collect after 4 MiB of allocations instead of 12: 5 to 8 MiB less after 10,000 requests, with the same CPU (decision 3).
  BUN_JSC_gcMaxHeapSize: '4194304',
};

/** An option that a runtime does not know keeps it from starting, and they change without notice: so only in the one they were tried with. */
export const triedWith = '1.4.4';

const mark = 'HOSTLER_TUNED';

/** The runtime takes these from the environment when it starts and at no other time: so this process becomes itself once more. */
export function tuneRuntime(): void {
  if (currentPlatform !== 'linux' || process.versions.bun !== triedWith) return;
  const { env, execPath, execArgv, argv } = process;
  if (env[mark] !== undefined) {
    // They are nobody else's, least of all those of the programs that we start.
    for (const name of [mark, ...Object.keys(options)]) delete env[name];
    return;
  }
  const [, script = '', ...args] = argv;
  const isCompiled = script.startsWith('/$bunfs/');
  try {
    process.execve?.(execPath, [execPath, ...(isCompiled ? [] : [...execArgv, script]), ...args], {
      ...options,
      ...env,
      [mark]: '1',
    });
  } catch {
    // A sandbox may forbid it: it also works without.
  }
}
