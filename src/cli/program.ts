import { Command, CommanderError, Option } from 'commander';
import { version } from '../app/version.ts';
import { type CommandDefinition, type CommandOption, commandGroups } from '../core/command.ts';
import { actions, features } from '../features/index.ts';
import { ownCommand, ownProgram } from '../lib/own-command.ts';
import type { TypedValue } from './action-command.ts';
import { ownCommands } from './commands.ts';
import { type CliContext, createContext, sayAsJson } from './context.ts';
import { exitCodeOf, UsageError } from './exit.ts';
import { addExamples, asSentence, commandNamed, hiddenCommand, shownInHelp, termOf } from './program.help.ts';
import { misspelledIn, mistakeIn } from './program.suggestions.ts';

/** Runs one command line; returns the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(args: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const [first, ...asked] = args;
    const program = createProgram(neededFor(args));
    const misspelled = first === 'help' ? misspelledIn(program, asked) : null;
    if (misspelled !== null) throw new UsageError(misspelled);
    try {
      await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    } catch (error) {
      // Help and version end this way as well; commander has printed them.
      if (!(error instanceof CommanderError)) throw error;
      if (error.code === 'commander.help' && error.exitCode !== 0)
        throw new UsageError('specify one of the commands above');
      if (error.exitCode !== 0) throw new UsageError(mistakeIn(program, args, error));
    }
  });
}

/** Every command: those of the features, and the others. */
export const commands: readonly CommandDefinition<CliContext>[] = [
  ...ownCommands,
  ...features.flatMap((feature) => feature.commands),
];

/** Commander takes 0.1 ms for each command: those that this command line cannot reach are left out. */
function neededFor(args: readonly string[]): typeof commands {
  const [first = '--help', ...more] = args;
  if (first === '--help' && more.length === 0) return commands.filter(({ place }) => place !== undefined);
  const typed = commands.filter(({ usage }) => namesIn(usage)[0] === first);
  return typed.length === 0 ? commands : typed;
}

export function createProgram(definitions = commands): Command {
  const program = new Command(ownProgram)
    .description(
      'Exposes the machine it runs on over HTTP, WebSocket and MCP: data modules to read, and actions to take.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    // Otherwise "token" would take the --json of "token list" for its own; both have to set it.
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      visibleCommands: (command) => shownInHelp(command, definitions),
      subcommandTerm: termOf,
      commandDescription: (command) => asSentence(command.description()),
      // In the order of the groups, not of the commands.
      groupItems: (_all, shown, groupOf) => Map.groupBy(shown, groupOf),
    })
    .addHelpText('after', `\n"${ownCommand('COMMAND --help')}" says more about one of them.`);
  const isFirst = ({ usage }: CommandDefinition<CliContext>) => namesIn(usage).length === 1;
  const first = definitions.filter(isFirst).toSorted((a, b) => (a.usage < b.usage ? -1 : 1));
  const below = definitions.filter((definition) => !isFirst(definition));
  for (const definition of [...first, ...below]) addCommand(program, definition);
  program
    .command(hiddenCommand, { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words) =>
      (await import('./completion.ts')).complete(await createContext({ careful: false }), createProgram(), words),
    );
  return program;
}

function addCommand(program: Command, definition: CommandDefinition<CliContext>): void {
  const { usage, description, summary, place, options = [], notes, examples, isDefault = false } = definition;
  const json = definition.json ?? (definition.isSentences ? 'print JSON instead of sentences' : undefined);
  const names = namesIn(usage);
  const above = commandNamed(program, names.slice(0, -1));
  if (above === undefined) throw new Error(`there is no command above "${usage}"`);
  const command = above
    .command(
      usage
        .split(' ')
        .slice(names.length - 1)
        .join(' '),
      { isDefault },
    )
    .description(description);
  if (summary !== undefined) command.summary(summary);
  if (place !== undefined) command.helpGroup(commandGroups[place.group]);
  for (const option of options) command.addOption(toOption(option));
  if (json !== undefined) command.option('--json', json);
  if (notes !== undefined) command.addHelpText('after', notes);
  if (examples !== undefined) addExamples(command, examples);
  if (definition.run === undefined && definition.action === undefined) return;
  // Otherwise it would take the --json of its subcommands for its own.
  command.enablePositionalOptions().action(async () => await perform(definition, command));
}

/** `settings set <key> <value>` → settings, set */
const namesIn = (usage: string) => usage.split(' ').filter((word) => !/^[<[]/.test(word));

function toOption({ flags, description, choices, default: usual, isRequired = false }: CommandOption): Option {
  const option = new Option(flags, description).default(usual).makeOptionMandatory(isRequired);
  return choices === undefined ? option : option.choices(choices);
}

async function perform(definition: CommandDefinition<CliContext>, command: Command): Promise<void> {
  const { run, action, trustsNothing = false, isSentences = false } = definition;
  const { json, ...options } = command.opts();
  const context = await createContext({ careful: !trustsNothing, isJson: json === true });
  if (action !== undefined) {
    const called = actions.find(({ name }) => name === action.name);
    if (called === undefined) throw new Error(`there is no action ${action.name}`);
    const { runActionCommand } = await import('./action-command.ts');
    return await runActionCommand(context, called, action, typedIn(command));
  }
  const handler = await run?.();
  // The parser has no types: its values match the usage and the options of the definition.
  const given = [...command.processedArgs, options] as never[];
  const work = async (to: CliContext) => await handler?.(to, ...given);
  await (isSentences ? sayAsJson(context, work) : work(context));
}

function typedIn(command: Command): TypedValue[] {
  const options = command.opts();
  return [
    ...command.registeredArguments.map((argument, at) => ({
      name: argument.name(),
      flag: null,
      placeholder: null,
      value: command.processedArgs[at],
    })),
    ...command.options
      .map((option) => ({
        name: option.attributeName(),
        flag: option.long ?? null,
        placeholder: /<(.+)>/.exec(option.flags)?.[1] ?? null,
        value: options[option.attributeName()],
      }))
      .filter(({ name }) => name !== 'json'),
  ].filter(({ value }) => value !== undefined);
}
