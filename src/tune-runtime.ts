import { currentPlatform } from './core/platform.ts';

/**
 * How the runtime runs a service that does little, for years. It is made for programs that are busy: it compiles what was run a
 * thousand times, which takes 10 MB and more CPU than all of our reading for the first quarter of an hour, and it keeps memory
 * ready for growth. Here only what is really hot is compiled. bench/README.md has what each of them brings.
 */
const options = {
  BUN_JSC_useWarmUpMarkedBlocks: '0',
  BUN_JSC_thresholdForJITAfterWarmUp: '5000',
  BUN_JSC_thresholdForJITSoon: '1000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: '8000',
  BUN_JSC_thresholdForOptimizeSoon: '8000',
};

const mark = 'HOSTLER_TUNED';

/** The runtime takes these from the environment when it starts and at no other time: so this process becomes itself once more. */
export function tuneRuntime(): void {
  if (currentPlatform !== 'linux') return;
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
