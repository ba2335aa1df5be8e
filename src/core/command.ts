import type { z } from 'zod';
import type { Host } from '../host/host.ts';
import type { Store } from './store.ts';

/** One command, as data: the parser, the help, the completion and the manual page are derived from it. */
export interface CommandDefinition<C = CommandContext> {
  /** As it is typed: `display brightness <percent>`; `[file]` is optional, `[series...]` takes several. */
  usage: string;
  description: string;
  /** In the list of commands, where the description does not cover its subcommands. */
  summary?: string;
  /** Where the general help lists it. Only top-level commands have it. */
  place?: { group: CommandGroup; rank: number };
  options?: readonly CommandOption[];
  /** What `--json` does; omitted: there is no such option. */
  json?: string;
  /** Command lines without the name of the program, and their purpose. */
  examples?: readonly (readonly [line: string, purpose: string])[];
  notes?: string;
  /** Runs where the parent command is typed alone. */
  isDefault?: boolean;
  /** Reads nothing from our directories that it must trust, so it also runs where other users can write to them. */
  trustsNothing?: boolean;
  /** Prints sentences only: `--json`, which needs no text then, prints `{"message": …}`. */
  isSentences?: boolean;
  /**
   * What it does. Loaded when it runs, and called with the arguments and then the options. Omitted: see `action`, or it only has
   * subcommands.
   */
  run?: () => Promise<CommandHandler<C>>;
  /** Calls this action: its input is read from the arguments and options with the schema of the action. */
  action?: ActionCommand;
}

/** Headings of the general help, in their order. */
export const commandGroups = {
  run: 'Run it:',
  read: 'Read this machine:',
  control: 'Control this machine:',
  access: 'Grant access:',
  trouble: 'Diagnose:',
  more: 'More:',
} as const;
export type CommandGroup = keyof typeof commandGroups;

export interface CommandOption {
  /** `--display <id>` */
  flags: string;
  description: string;
  choices?: readonly string[];
  default?: string;
  isRequired?: boolean;
}

/** The arguments as they were typed, undefined where one is missing, and then the options. */
export type CommandHandler<C = CommandContext> = (context: C, ...given: never[]) => unknown;

export interface ActionCommand {
  name: string;
  /** The fixed input of the command: `{ on: true }` for `display on`. */
  input?: Readonly<Record<string, unknown>>;
  /** By the name of an argument or option, where its field has another name or its text needs conversion. */
  fields?: Readonly<Record<string, FieldHint>>;
  /** By the name of a switch: the fields that it gives the arguments. */
  switches?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Completes the input with what only the machine knows. */
  complete?: () => Promise<
    (context: CommandContext, input: Record<string, unknown>) => Promise<Record<string, unknown>>
  >;
  /** Prints the data of the result; omitted: its message is printed. `--json` then prints the data alone. */
  show?: () => Promise<(context: CommandContext, data: unknown) => unknown>;
}

export interface FieldHint {
  field?: string;
  /** Its name in sentences: "The brightness must be…". */
  label?: string;
  /** `span`: seconds, typed as 30m or 1h. `percent`: a number with or without its sign. */
  as?: 'span' | 'percent';
}

/** What commands get. Wrong usage is a ServiceError `invalid`. */
export interface CommandContext extends TerminalOutput, Answering {
  host: Host;
  /** Calls the running service, with all permissions. Rejects with a sentence if none is running. */
  call(action: string, input: Record<string, unknown>): Promise<{ message: string; data: unknown }>;
  /** The data of a module: from the running service, or else read by this process. */
  read(module: string): Promise<unknown>;
  /** From the running service alone. Rejects with a sentence if none is running. */
  readRunning(module: string): Promise<unknown>;
  isServiceRunning(): Promise<boolean>;
  /** Shows the data of a module after each change, and reconnects when the service restarts. Ends with an error only. */
  follow(module: string, show: (payload: unknown) => void): Promise<never>;
  /** The modules, read by this process. */
  openStore(): Promise<Store>;
  /** Prints a list. On a terminal the widest columns are cut until lines fit, unless `isWhole`. */
  table(head: string[], rows: string[][], options?: { isWhole?: boolean }): void;
  /** Prints a payload: one line for each value, numbers with the units of the schema. */
  outline(payload: unknown, schema: z.ZodType): Promise<void>;
  prompt(): Promise<Prompt>;
  /** All of standard input; null: it is longer than this. */
  standardInput(mostBytes: number): Promise<Buffer | null>;
}

/** How a command prints its result. */
export interface Answering {
  /** `--json` was given. */
  isJson: boolean;
  /** Prints the data as JSON with `--json` or without words; otherwise the words, or whatever the function prints. */
  answer(data: unknown, words?: string | (() => void | Promise<void>)): void | Promise<void>;
}

export const answering = (
  print: (line: string) => void,
  isJson: boolean,
): Answering & Pick<TerminalOutput, 'print'> => ({
  print,
  isJson,
  answer(data, words) {
    if (isJson || words === undefined) return print(JSON.stringify(data, null, 2));
    return typeof words === 'string' ? print(words) : words();
  },
});

export interface TerminalOutput {
  /** Writes a line to standard output completely before it returns. Throws the system's error when it cannot be written. */
  print(line: string): void;
  /** The same for output that only a program or a file gets: unchanged. */
  write(bytes: Uint8Array): void;
  /** Writes a file that the user named. A new file is readable by its owner only; a link or a file of another user is refused. */
  writeFile(file: string, bytes: Uint8Array): void;
  complain(line: string): void;
  isForPeople(): boolean;
  screen(): Screen;
}

export interface Screen {
  /** null: no terminal, but a file or a pipe. */
  columns: number | null;
  /** The locale supports ASCII only. */
  ascii: boolean;
}

/** Reads input from the user. From a pipe, each prompt takes one line. */
export interface Prompt {
  /** Whether standard input is a terminal, where the prompts are shown. */
  interactive: boolean;
  line(prompt: string): string;
  /** The typed text is not shown. */
  secret(prompt: string): string;
}
