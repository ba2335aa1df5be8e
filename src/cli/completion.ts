import type { Command } from 'commander';
import { actions } from '../actions/index.ts';
import { modules } from '../modules/index.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';

/** The shells ask the program itself, so the answers are never older than the program. */
const scripts: Record<string, string> = {
  bash: `_hostler() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -W "$(hostler complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]#=}") )
  # After "action=" its value is typed at once.
  [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _hostler hostler`,
  zsh: `#compdef hostler
_hostler() {
  compadd -- \${(f)"$(hostler complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _hostler hostler`,
  powershell: `Register-ArgumentCompleter -Native -CommandName hostler, hostler.exe -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  hostler complete '--' @words "$word" 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}`,
  fish: `complete -c hostler -f -a '(hostler complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export function printCompletion({ print }: Pick<CliContext, 'print'>, shell: string): void {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined)
    throw new UsageError(
      `There is no completion for ${JSON.stringify(shell)}; available: ${Object.keys(scripts).join(', ')}`,
    );
  print(script);
}

/** One candidate a line; the last word is the one being typed. */
export async function complete({ print }: CliContext, program: Command, words: string[]): Promise<void> {
  const { before, current, unsplit } = wholeWords(words);
  const [command, name = '', ...given] = before;
  const all =
    command === 'do' && name !== '' ? await inputWords(name, given, current) : candidates(program, before, current);
  // A shell that split the word wants the rest of it only.
  for (const candidate of all) print(unsplit ? candidate.slice(candidate.indexOf('=') + 1) : candidate);
}

/** bash takes `action=PA` for three words. */
function wholeWords(words: readonly string[]): { before: string[]; current: string; unsplit: boolean } {
  const whole: string[] = [];
  for (const [at, word] of words.entries()) {
    const joins = word === '=' || words[at - 1] === '=';
    if (joins && whole.length > 0) whole.push(`${whole.pop()}${word}`);
    else whole.push(word);
  }
  return {
    before: whole.slice(0, -1),
    current: whole.at(-1) ?? '',
    unsplit: words.at(-1) === '=' || words.at(-2) === '=',
  };
}

async function inputWords(name: string, given: readonly string[], current: string): Promise<string[]> {
  const action = actions.find((each) => each.name === name);
  if (action === undefined) return [];
  const { inputCandidates, inputSchemaOf } = await import('./do.input.ts');
  const all = inputCandidates(await inputSchemaOf(action), given, current);
  return all.filter((candidate) => candidate.startsWith(current));
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
  if (command.name() === 'do') return actions.map(({ name }) => name);
  if (command.name() === 'data') return modules.map(({ name }) => name);
  return command.name() === 'completion' ? Object.keys(scripts) : [];
}

function shownCommands(command: Command): string[] {
  const names = command.commands.map((child) => child.name()).filter((name) => name !== 'complete');
  return command.parent === null ? [...names, 'help'] : names;
}
