// Runs something on Bun in place of this process, as far as Node can.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, isClone } from './installed.mjs';

export function launch(args) {
  const child = spawn(bunPath(), [...bunFlags, ...args], {
    stdio: 'inherit',
    env: { HOSTLER_COMMAND: programName(), ...cleanEnvironment() },
  });
  // Ctrl-C at a terminal reaches both; what was sent to this process alone is passed on. The service takes no harm from two.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`hostler: cannot start Bun: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}

/** What people type to run it (src/lib/own-command.ts says it to them): a clone has no `hostler` unless it was linked. */
function programName() {
  const isLinked = path.basename(process.argv[1] ?? '') === 'hostler';
  return isClone() && !isLinked ? 'npm run -s hostler --' : 'hostler';
}
