import type { Command } from 'commander';
import { type CommandDefinition, commandGroups } from '../core/command.ts';
import { ownCommand } from '../lib/own-command.ts';

/** For the completion scripts, not for people. */
export const hiddenCommand = 'complete';

/** The command of these words; undefined: there is none. */
export function commandNamed(program: Command, words: readonly string[]): Command | undefined {
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((child) => child.name() === word),
    program,
  );
}

export function addExamples(command: Command, examples: NonNullable<CommandDefinition['examples']>): void {
  const lines = examples.map(([words, what]) => [ownCommand(words), what] as const);
  const width = Math.max(...lines.map(([words]) => words.length));
  const text = ['', 'Examples:', ...lines.map(([words, what]) => `  ${words.padEnd(width)}  ${what}`)].join('\n');
  command.addHelpText('after', text);
}

/** Descriptions are parts of lists; on its own page one becomes a sentence. */
export const asSentence = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?)]$/.test(words) ? '' : '.'}`;

/** The general help lists commands by purpose, in the order in which they are needed. */
export function shownInHelp(
  command: Command,
  definitions: readonly Pick<CommandDefinition, 'usage' | 'place'>[],
): Command[] {
  const shown = command.commands.filter((child) => child.name() !== hiddenCommand);
  if (command.parent !== null) return shown;
  const groups = Object.keys(commandGroups);
  const placed = definitions.flatMap(({ usage, place }) =>
    place === undefined ? [] : [{ usage, order: [groups.indexOf(place.group), place.rank] as const }],
  );
  return placed
    .toSorted(({ order: [a, b] }, { order: [c, d] }) => a - c || b - d)
    .flatMap(({ usage }) => shown.filter((child) => child.name() === usage.split(' ')[0]));
}

/** Its usage: `settings set <key> <value>`. */
export function termOf(command: Command): string {
  const names = [command.name()];
  for (let parent = command.parent; parent?.parent; parent = parent.parent) names.unshift(parent.name());
  const wanted = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [...names, ...wanted].join(' ');
}
