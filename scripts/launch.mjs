// Runs a script on Bun in place of this process, as far as Node can.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, isClone } from './installed.mjs';

export function launch(args) {
  const child = spawn(bunPath(), [...bunFlags, ...args], {
    stdio: 'inherit',
    env: { HOSTLER_COMMAND: programName(), ...cleanEnvironment() },
  });
  // Ctrl-C at a terminal reaches both; a signal to this process alone is forwarded. The service tolerates receiving it twice.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`hostler: cannot start Bun: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}

/** The command that users type (shown by src/lib/own-command.ts): a clone has no `hostler` unless it was linked. */
function programName() {
  const isLinked = path.basename(process.argv[1] ?? '') === 'hostler';
  return isClone() && !isLinked ? 'npm run -s hostler --' : 'hostler';
}
