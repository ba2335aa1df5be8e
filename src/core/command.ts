import type { z } from 'zod';
import type { Host } from '../host/host.ts';
import type { Store } from './store.ts';

/** One command, as data: the parser, the help, the completion and the manual page are made from it. */
export interface CommandDefinition<C = CommandContext> {
  /** As it is typed: `display brightness <percent>`; `[file]` may be left out, `[series...]` takes several. */
  usage: string;
  description: string;
  /** In the list of commands, where the description is not what the commands below it do. */
  summary?: string;
  /** Where the general help lists it. Commands of one word have it. */
  place?: { group: CommandGroup; rank: number };
  options?: readonly CommandOption[];
  /** What `--json` does; left out: there is no such option. */
  json?: string;
  /** Command lines without the name of the program, and what each is for. */
  examples?: readonly (readonly [line: string, purpose: string])[];
  /** Text below the help. */
  notes?: string;
  /** Runs where the command above it is typed alone. */
  isDefault?: boolean;
  /** Reads nothing that it must trust from our directories, so it runs where others can write to them. */
  trustsNothing?: boolean;
  /** Prints sentences only: `--json` makes them `{"message": …}`. */
  isSentences?: boolean;
  /** What it does. It is loaded when it runs, and gets the arguments and then the options. Left out: see `action`, or it only has commands below it. */
  run?: () => Promise<CommandHandler<C>>;
  /** It calls this action: its input is read from the arguments and options, by the schema of the action. */
  action?: ActionCommand;
}

/** Headings of the general help, in their order. */
export const commandGroups = {
  run: 'Run it:',
  read: 'Read this machine:',
  control: 'Control this machine:',
  access: 'Let others in:',
  trouble: 'When something is wrong:',
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

/** The arguments as they were typed, undefined where one was left out, and then the options. */
export type CommandHandler<C = CommandContext> = (context: C, ...given: never[]) => unknown;

/** How an action is called from the command line. */
export interface ActionCommand {
  name: string;
  /** What the command itself stands for: `{ on: true }` for `display on`. */
  input?: Readonly<Record<string, unknown>>;
  /** By the name of an argument or option, where its field has another name or its text is not plain. */
  fields?: Readonly<Record<string, FieldHint>>;
  /** By the name of a switch: the fields that arguments have with it. */
  switches?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Completes the input by what only the machine knows. */
  complete?: () => Promise<
    (context: CommandContext, input: Record<string, unknown>) => Promise<Record<string, unknown>>
  >;
  /** Prints the data of the answer; left out: its message is printed. `--json` prints the data alone, then. */
  show?: () => Promise<(context: CommandContext, data: unknown) => unknown>;
}

export interface FieldHint {
  field?: string;
  /** What sentences call it: "The brightness must be…". */
  label?: string;
  /** `span`: seconds, typed as 30m or 1h. `percent`: a number with or without its sign. */
  as?: 'span' | 'percent';
}

/** What commands get. Wrong usage is a ServiceError `invalid`. */
export interface CommandContext extends TerminalOutput {
  host: Host;
  /** Has the running service do it, with all permissions. Rejects with a sentence where none runs. */
  call(action: string, input: Record<string, unknown>): Promise<{ message: string; data: unknown }>;
  /** The data of a module: of the running service, or else as this process reads it. */
  read(module: string): Promise<unknown>;
  /** Of the running service alone. Rejects with a sentence where none runs. */
  readRunning(module: string): Promise<unknown>;
  isServiceRunning(): Promise<boolean>;
  /** Shows the data of a module whenever it changes, and waits for the service where it is restarted. Ends with an error only. */
  follow(module: string, show: (payload: unknown) => void): Promise<never>;
  /** The modules, read by this process itself. */
  openStore(): Promise<Store>;
  /** Prints a list. On a terminal its widest columns are cut until lines fit, unless `isWhole`. */
  table(head: string[], rows: string[][], options?: { isWhole?: boolean }): void;
  /** Prints a payload: one line a value, figures with the units that the schema has for them. */
  outline(payload: unknown, schema: z.ZodType): Promise<void>;
  /** Asks the user. */
  prompt(): Promise<Prompt>;
  /** All of standard input; null: it has more bytes than this. */
  standardInput(mostBytes: number): Promise<Buffer | null>;
}

export interface TerminalOutput {
  /** A line to standard output, all of it before this returns. Throws the system's error when it cannot be written. */
  print(line: string): void;
  /** The same for what only a program or a file is to get: it goes out as it is. */
  write(bytes: Uint8Array): void;
  /** Writes a file that the user named. A new file is readable by its owner only; a link or a file of another user is refused. */
  writeFile(file: string, bytes: Uint8Array): void;
  /** A line to standard error. */
  complain(line: string): void;
  /** Whether standard output is a terminal. */
  isForPeople(): boolean;
  screen(): Screen;
}

/** What lines are shown on. */
export interface Screen {
  /** null: no terminal, but a file or a pipe. */
  columns: number | null;
  /** The locale has no other characters. */
  ascii: boolean;
}

/** Questions to the user. From a pipe, the answers are its lines. */
export interface Prompt {
  /** Whether standard input is a terminal, where the questions are shown. */
  interactive: boolean;
  line(question: string): string;
  /** What is typed is not shown. */
  secret(question: string): string;
}
