import { currentPlatform } from '../core/platform.ts';
import { createHost } from '../host/create-host.ts';
import type { Host } from '../host/host.ts';
import { version } from '../version.ts';

/** What every command gets: the machine, and where to write. */
export interface CliContext {
  host: Host;
  print(line: string): void;
  complain(line: string): void;
  /** Whether a person looks at the output. */
  terminal: boolean;
  /** How this program is called here, for sentences that tell people what to run. */
  command: string;
}

export function createContext(): CliContext {
  const host = createHost(version, currentPlatform);
  return {
    host,
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    terminal: process.stdout.isTTY === true,
    command: host.environment.variable('HOSTLER_COMMAND') ?? 'hostler',
  };
}
