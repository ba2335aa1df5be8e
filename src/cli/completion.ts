import type { Command } from 'commander';
import { modules } from '../modules/index.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';

/** The shells ask the program itself, so the answers are never older than the program. */
const scripts: Record<string, string> = {
  bash: `_hostler() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -W "$(hostler complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -F _hostler hostler`,
  zsh: `#compdef hostler
_hostler() {
  compadd -- \${(f)"$(hostler complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _hostler hostler`,
  fish: `complete -c hostler -f -a '(hostler complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export function printCompletion({ print }: CliContext, shell: string): void {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new UsageError(
      `There is no completion for ${JSON.stringify(shell)}; available: ${Object.keys(scripts).join(', ')}`,
    );
  print(script);
}

/** One candidate a line; the last word is the one being typed. */
export function complete({ print }: CliContext, program: Command, words: string[]): void {
  const current = words.at(-1) ?? '';
  for (const candidate of candidates(program, words.slice(0, -1), current)) print(candidate);
}

export function candidates(program: Command, before: string[], current: string): string[] {
  let command = program;
  const values: string[] = [];
  for (const word of before.filter((candidate) => !candidate.startsWith('-'))) {
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) values.push(word);
    else command = next;
  }
  const all = current.startsWith('-')
    ? ['--help', ...command.options.map(({ long }) => long ?? '')]
    : [...shownCommands(command), ...argumentsOf(command, values.length)];
  return all.filter((candidate) => candidate !== '' && candidate.startsWith(current));
}

function argumentsOf(command: Command, position: number): string[] {
  if (position > 0) return [];
  if (command.name() === 'data') return modules.map(({ name }) => name);
  return command.name() === 'completion' ? Object.keys(scripts) : [];
}

function shownCommands(command: Command): string[] {
  const names = command.commands.map((child) => child.name()).filter((name) => name !== 'complete');
  return command.parent === null ? [...names, 'help'] : names;
}
