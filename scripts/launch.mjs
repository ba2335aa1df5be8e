// Runs something on Bun in place of this process, as far as Node can.
import { spawn } from 'node:child_process';
import { bunFlags, bunPath, cleanEnvironment } from './installed.mjs';

export function launch(args) {
  const command = process.env.npm_lifecycle_event ? 'npm run -s hostler --' : 'hostler';
  const child = spawn(bunPath(), [...bunFlags, ...args], {
    stdio: 'inherit',
    env: { HOSTLER_COMMAND: command, ...cleanEnvironment() },
  });
  // Ctrl-C at a terminal reaches both; what was sent to this process alone is passed on. The service takes no harm from two.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`hostler: cannot start Bun: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}
