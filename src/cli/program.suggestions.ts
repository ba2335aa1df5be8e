import type { Command, CommanderError } from 'commander';
import { nearest } from '../lib/nearest-name.ts';
import { ownCommand, ownProgram } from '../lib/own-command.ts';
import { termOf } from './program.help.ts';

/** What is wrong with a command line, what was probably meant, and where to read more. */
export function mistakeIn(program: Command, args: readonly string[], { code, message }: CommanderError): string {
  const place = placeOf(program, args);
  const { command, words, rest } = place;
  // The parser quotes the word that it failed at: the first such word.
  const [, named = ''] = /'([^']*)'/.exec(message) ?? [];
  const sentences: Record<string, () => string> = {
    'commander.unknownCommand': () => unknownCommand(place),
    'commander.excessArguments': () =>
      command.commands.length > 0 && rest.length > 0
        ? unknownCommand(place)
        : `"${args.join(' ')}" has an extra argument; usage: "${ownCommand(termOf(command))}"`,
    'commander.unknownOption': () => {
      const known = ['--help', ...command.options.map(({ long }) => long ?? '')];
      return `"${[ownProgram, ...words].join(' ')}" has no option ${named}${guess(nearest(named, known))}`;
    },
    'commander.missingArgument': () => `<${named}> is missing; usage: "${ownCommand(termOf(command))}"`,
    'commander.missingMandatoryOptionValue': () => `${named} is missing`,
    'commander.optionMissingArgument': () => `The value of an option is missing: ${named}`,
  };
  return `${sentences[code]?.() ?? message.replace(/^error: /, '')}\n${whereToRead(place)}`;
}

/** A word that is not a command, where only commands are expected; null: they all are. */
export function misspelledIn(program: Command, words: readonly string[]): string | null {
  const place = placeOf(program, words);
  return place.rest.length === 0 ? null : `${unknownCommand(place)}\n${whereToRead(place)}`;
}

function whereToRead({ command, words }: Place): string {
  const about = command.commands.length > 0 ? 'lists the commands' : 'shows how to use it';
  return `("${ownCommand([...words, '--help'].join(' '))}" ${about})`;
}

interface Place {
  command: Command;
  /** The words that lead to it. */
  words: string[];
  /** The words after it. */
  rest: string[];
}

function placeOf(program: Command, args: readonly string[]): Place {
  const given = args.filter((word) => !word.startsWith('-'));
  let command = program;
  const words: string[] = [];
  for (const word of given) {
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) break;
    command = child;
    words.push(word);
  }
  return { command, words, rest: given.slice(words.length) };
}

function unknownCommand({ command, words, rest: [word = '', after = ''] }: Place): string {
  const leadsOn = (child: Command) => child.commands.some((inner) => inner.name() === after);
  // Of two equally near, such as "serve" and "service" for "servce install", the one that the next word fits.
  const children = [...command.commands.filter(leadsOn), ...command.commands.filter((child) => !leadsOn(child))];
  const known = children.map((child) => child.name());
  const near = nearest(word, known) ?? onlyOneLike(word, known);
  const meant = near === null ? null : `"${ownCommand([...words, near].join(' '))}"`;
  return `There is no command "${[...words, word].join(' ')}"${guess(meant)}`;
}

/** Abbreviated, or with more after it: "stat", "completions". */
function onlyOneLike(word: string, known: readonly string[]): string | null {
  const [first, ...others] = known.filter(
    (name) => word.length > 1 && (name.startsWith(word) || word.startsWith(name)),
  );
  return first === undefined || others.length > 0 ? null : first;
}

const guess = (meant: string | null) => (meant === null ? '' : `; did you mean ${meant}?`);
