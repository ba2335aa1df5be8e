import type { Command, Option } from 'commander';
import { choicesIn, fieldsIn, type JsonSchema } from '../core/json/schema-walk.ts';
import { actions, allScopes, defaultSettings, modules, settingsCatalogue } from '../features/index.ts';
import { agentPrograms } from '../lib/agent-programs.ts';
import { logFormats, logLevels } from '../lib/log.ts';
import { leavesOf } from '../settings/unknown-keys.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { termOf } from './program.help.ts';

/** The shells call the program, so the candidates always match its version. */
const scripts: Record<string, string> = {
  bash: `_hostler() {
  local IFS=$'\\n'
  COMPREPLY=( $(compgen -W "$(hostler complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]#=}") )
  # After "action=" its value is typed at once.
  [[ \${#COMPREPLY[@]} -gt 0 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
# Where it knows nothing, as after "record", names of files may be meant.
complete -o default -F _hostler hostler`,
  zsh: `#compdef hostler
_hostler() {
  local -a found=( \${(f)"$(hostler complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"} )
  if (( $#found )); then compadd -- $found; else _files; fi
}
# Loaded by the shell at the first use, this file is the function itself; else it was sourced.
if [[ $funcstack[1] == _hostler ]]; then _hostler; else compdef _hostler hostler; fi`,
  powershell: `Register-ArgumentCompleter -Native -CommandName hostler, hostler.exe -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  hostler complete '--' @words "$word" 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}`,
  fish: `complete -c hostler -f -a '(hostler complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
complete -c hostler -n '__fish_seen_subcommand_from record screenshot' -F`,
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
    command === 'do' && name !== ''
      ? await inputWords(name, given, current)
      : await candidates(program, before, current);
  // A shell that split the word needs the rest of it only.
  for (const candidate of all) print(unsplit ? candidate.slice(candidate.indexOf('=') + 1) : candidate);
}

/** bash splits `action=PA` into three words. */
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
  const { inputCandidates, inputSchemaOf } = await import('./do/do.input.ts');
  const all = inputCandidates(await inputSchemaOf(action), given, current);
  return all.filter((candidate) => candidate.startsWith(current));
}

export async function candidates(program: Command, before: string[], current: string): Promise<string[]> {
  let command = program;
  const values: string[] = [];
  let expecting: Option | undefined;
  for (const word of before) {
    const isValue = expecting !== undefined;
    expecting = isValue ? undefined : command.options.find(({ long, short }) => [long, short].includes(word));
    // Switches have no value after them.
    if (expecting?.isBoolean()) expecting = undefined;
    if (isValue || word.startsWith('-')) continue;
    const next = command.commands.find((child) => child.name() === word);
    if (next === undefined) values.push(word);
    else command = next;
  }
  const all = () => {
    if (expecting !== undefined) return valuesOf(expecting);
    if (current.startsWith('-')) return ['--help', ...command.options.map(({ long }) => long ?? '')];
    return argumentsOf(command, values).then((known) => [...shownCommands(command), ...known]);
  };
  return (await all()).filter((candidate) => candidate !== '' && candidate.startsWith(current));
}

function valuesOf({ long }: Option): readonly string[] {
  if (long === '--level' || long === '--log-level') return logLevels;
  if (long === '--log-format') return logFormats;
  return /^--(add-)?scopes?$/.test(long ?? '') ? allScopes : [];
}

async function argumentsOf(command: Command, before: readonly string[]): Promise<string[]> {
  const name = termOf(command).replace(/ [<[].*/, '');
  if (name === 'settings set' && before.length === 1) return await settingValues(before[0] ?? '');
  if (before.length > 0) return [];
  if (name === 'do') return actions.map((action) => action.name);
  if (name === 'data') return modules.map((module) => module.name);
  if (name === 'settings get' || name === 'settings set') return leavesOf(defaultSettings);
  if (name === 'mcp config') return [...agentPrograms];
  return name === 'completion' ? Object.keys(scripts) : [];
}

/** The possible values of a setting, if they are few. */
async function settingValues(key: string): Promise<string[]> {
  const settings = await settingsCatalogue.schema();
  const whole: JsonSchema = { ...settings.toJSONSchema({ io: 'input', unrepresentable: 'any' }) };
  const field = key
    .split('.')
    .reduce<JsonSchema | undefined>((schema, part) => schema && fieldsIn(schema)[part], whole);
  return field === undefined ? [] : choicesIn(field);
}

function shownCommands(command: Command): string[] {
  const names = command.commands.map((child) => child.name()).filter((name) => name !== 'complete');
  return command.parent === null ? [...names, 'help'] : names;
}
