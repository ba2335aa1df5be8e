import type { Command } from 'commander';

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

/** The short list first: what is below a command, its own help shows. */
export function groupCommands(program: Command): void {
  for (const [heading, names] of Object.entries(commandGroups))
    for (const child of program.commands.filter((each) => names.includes(each.name()))) child.helpGroup(heading);
}

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
