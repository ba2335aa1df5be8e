import { refuseExposed } from '../app/directory-permissions.ts';
import { checkStateVersion } from '../app/state-version.ts';
import { startThread } from '../app/threads/start-thread.ts';
import { version } from '../app/version.ts';
import { answering, type CommandContext, type TerminalOutput } from '../core/command.ts';
import { createHost } from '../host/create-host.ts';
import type { Host } from '../host/host.ts';
import { ownProgram } from '../lib/own-command.ts';
import { currentPlatform } from '../lib/platform.ts';
import { outline, table } from '../lib/text-table.ts';
import { createTerminal } from './terminal.ts';

/** What the commands of this folder also get. */
export interface CliContext extends CommandContext {
  /** How this program is called here, for messages that name a command. */
  command: string;
}

/** For commands that print sentences only: with `--json` they are `{"message": …}`. */
export async function sayAsJson(context: CliContext, work: (context: CliContext) => unknown): Promise<void> {
  if (!context.isJson) return void (await work(context));
  const lines: string[] = [];
  await work({ ...context, print: (line) => void lines.push(line) });
  context.print(JSON.stringify({ message: lines.join('\n') }, null, 2));
}

/** `careful` is for commands that trust the content of our directories: those that others could change are refused. */
export async function createContext({ careful = true, isJson = false } = {}): Promise<CliContext> {
  const host = await createHost(version, currentPlatform, startThread);
  if (careful) {
    refuseExposed(host);
    checkStateVersion(host);
  }
  const terminal = createTerminal();
  return {
    host,
    ...terminal,
    ...answering(terminal.print, isJson),
    ...createServiceAccess(host, terminal),
    ...createForms(terminal),
    command: ownProgram,
  };
}

type ServiceAccess = Pick<
  CommandContext,
  'call' | 'read' | 'readRunning' | 'isServiceRunning' | 'follow' | 'openStore'
>;

/** The running service, and the modules without it. Both are loaded at first use. */
function createServiceAccess(host: Host, { complain }: TerminalOutput): ServiceAccess {
  const services = () => import('./running-service.ts');
  const find = async () => await (await services()).findService(host);
  const required = async () => await (await services()).requireService({ host, command: ownProgram });
  const openStore = async () => await (await import('./offline-store.ts')).openLocalStore(host);
  return {
    call: async (action, input) => await (await required()).perform(action, input),
    async read(module) {
      const service = await find();
      return service === null ? (await (await openStore()).get(module)).payload : await service.read(module);
    },
    readRunning: async (module) => await (await required()).read(module),
    isServiceRunning: async () => (await find()) !== null,
    async follow(module, show) {
      await required();
      return await (await import('./data.ts')).listenToModule({ host, complain }, module, show);
    },
    openStore,
  };
}

function createForms({
  print,
  screen,
}: TerminalOutput): Pick<CommandContext, 'table' | 'outline' | 'prompt' | 'standardInput'> {
  return {
    table: (head, rows, { isWhole = false } = {}) => print(table(head, rows, isWhole ? { columns: null } : screen())),
    async outline(payload, schema) {
      const { readable } = await import('./readable.ts');
      print(outline(readable(payload, schema), '', screen()));
    },
    prompt: async () => (await import('./terminal.prompt.ts')).createPrompt(),
    standardInput,
  };
}

async function standardInput(mostBytes: number): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > mostBytes) return null;
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
