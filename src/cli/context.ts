import { refuseExposed } from '../app/directory-permissions.ts';
import { checkStateVersion } from '../app/state-version.ts';
import { startThread } from '../app/threads/start-thread.ts';
import { version } from '../app/version.ts';
import { createHost } from '../host/create-host.ts';
import type { Host } from '../host/host.ts';
import { ownProgram } from '../lib/own-command.ts';
import { currentPlatform } from '../lib/platform.ts';
import { createTerminal, type Screen } from './terminal.ts';

/** What every command gets: the machine, and where to write. */
export interface CliContext {
  host: Host;
  print(line: string): void;
  /** As it is, for programs and files. */
  write(bytes: Uint8Array): void;
  complain(line: string): void;
  /** Whether people read what is printed, rather than a program or a file. */
  isForPeople(): boolean;
  screen(): Screen;
  /** How this program is called here, for sentences that tell people what to run. */
  command: string;
}

/** For commands that say sentences and nothing else: with `--json` they are `{"message": …}`. */
export async function sayAsJson(
  context: CliContext,
  { json = false }: { json?: boolean },
  work: (context: CliContext) => unknown,
): Promise<void> {
  if (!json) return void (await work(context));
  const lines: string[] = [];
  await work({ ...context, print: (line) => void lines.push(line) });
  context.print(JSON.stringify({ message: lines.join('\n') }, null, 2));
}

/** `careful` is for commands that trust what lies in our directories: those that others could change are refused. */
export async function createContext({ careful = true }: { careful?: boolean } = {}): Promise<CliContext> {
  const host = await createHost(version, currentPlatform, startThread);
  if (careful) {
    refuseExposed(host);
    checkStateVersion(host);
  }
  return {
    host,
    ...createTerminal(),
    command: ownProgram,
  };
}
