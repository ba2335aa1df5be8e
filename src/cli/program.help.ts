import type { Command } from 'commander';
import { ownCommand } from '../lib/own-command.ts';

/** For the completion scripts, not for people. */
export const hiddenCommand = 'complete';

/** Everything that can be typed first, by what people want, in the order in which they come to want it. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Run it:': ['service', 'serve', 'open', 'status', 'logs', 'settings', 'update', 'import'],
  'Read this machine:': ['data', 'modules', 'top', 'process', 'history', 'alerts', 'services', 'containers'],
  'Control this machine:': [
    'do',
    'power',
    'display',
    'clipboard',
    'pointer',
    'bluetooth',
    'screenshot',
    'chat',
    'wake',
    'control',
  ],
  'Let others in:': ['token', 'pair', 'paired', 'discover', 'tls', 'mcp', 'mqtt'],
  'When something is wrong:': ['doctor', 'support', 'record', 'self-test'],
  'More:': ['version', 'completion'],
};

/** What people type most, by the command whose help shows it: without the name of the program, and what it is for. */
export const commandExamples: Readonly<Record<string, readonly [string, string][]>> = {
  'service install': [
    ['service install', 'for yourself'],
    ['service install --linger', 'also while you are not logged in'],
  ],
  serve: [['serve --port 9171', 'until Ctrl-C, on another port']],
  settings: [
    ['settings get server', 'one section'],
    ['settings set systemTray true', 'an icon beside the clock'],
    ['settings set server.tls auto', 'encrypted from the next start on'],
  ],
  data: [
    ['data cpu', 'everything about the processor'],
    ['data memory --fields virtual.percent --json', 'one value, for a script'],
    ['data media --watch', 'every change until Ctrl-C'],
  ],
  history: [
    ['history', 'the last hour'],
    ['history cpu memory --last 7d', 'two series of a week'],
  ],
  do: [
    ['do', 'what can be done on this machine'],
    ['do media.control action=PAUSE', 'pause the player'],
  ],
  'power shutdown': [['power shutdown --delay 600', 'in ten minutes; "power cancel" cancels it']],
  'token create': [
    ['token create --name ha --scope read,media,notify', 'for Home Assistant'],
    ['token create --name grafana --scope read', 'for a program that only reads'],
  ],
  pair: [
    ['pair', 'let a phone or another machine into this one'],
    ['pair desk.local:9170', 'ask another machine for access'],
  ],
  logs: [['logs --follow --level WARN', 'warnings and errors as they come']],
  'mcp config': [['mcp config claude-code', 'what to run or paste there']],
  completion: [
    ['completion bash > ~/.local/share/bash-completion/completions/hostler', 'for bash; packages bring it'],
    ['completion fish > ~/.config/fish/completions/hostler.fish', 'for fish'],
  ],
};

/** The short list first: what is below a command, its own help shows, with what is typed most. */
export function arrangeHelp(program: Command): void {
  for (const [heading, names] of Object.entries(commandGroups))
    for (const child of program.commands.filter((each) => names.includes(each.name()))) child.helpGroup(heading);
  for (const [name, examples] of Object.entries(commandExamples))
    commandNamed(program, name)?.addHelpText('after', () => examplesText(examples));
}

/** `service install` → the command that it is; undefined: there is none. */
export function commandNamed(program: Command, name: string): Command | undefined {
  return name
    .split(' ')
    .reduce<Command | undefined>((command, word) => command?.commands.find((child) => child.name() === word), program);
}

function examplesText(examples: readonly [string, string][]): string {
  const lines = examples.map(([words, what]) => [ownCommand(words), what] as const);
  const width = Math.max(...lines.map(([words]) => words.length));
  return ['', 'Examples:', ...lines.map(([words, what]) => `  ${words.padEnd(width)}  ${what}`)].join('\n');
}

/** Descriptions are parts of lists; on a page of its own one is a sentence. */
export const asSentence = (words: string) =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?)]$/.test(words) ? '' : '.'}`;

export function shownInHelp(command: Command): Command[] {
  const shown = command.commands.filter((child) => child.name() !== hiddenCommand);
  if (command.parent !== null) return shown;
  return Object.values(commandGroups).flatMap((names) =>
    names.flatMap((name) => shown.filter((child) => child.name() === name)),
  );
}

/** How it is typed: `settings set <key> <value>`. */
export function termOf(command: Command): string {
  const names = [command.name()];
  for (let parent = command.parent; parent?.parent; parent = parent.parent) names.unshift(parent.name());
  const wanted = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [...names, ...wanted].join(' ');
}
