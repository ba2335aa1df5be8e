import { expect, test } from 'bun:test';
import { type Command, CommanderError } from 'commander';
import { fieldsIn } from '../core/json/schema-walk.ts';
import { actions } from '../features/index.ts';
import { inputSchemaOf } from './do/do.input.ts';
import { commandNamed } from './program.help.ts';
import { misspelledIn, mistakeIn } from './program.suggestions.ts';
import { commands, createProgram } from './program.ts';

/** Their output is for another program, or empty. */
const without = new Set([
  'serve',
  'mcp',
  'mcp config',
  'completion',
  'complete',
  'update',
  'tls',
  'power',
  'chat',
  'settings',
  'control',
  'display',
  'mqtt',
  'service',
  'import',
  'clipboard',
  'pointer',
  'glances',
]);

function commandsOf(command: Command, before: string[] = []): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const words = [...before, child.name()];
    return [[words.join(' '), child], ...commandsOf(child, words)];
  });
}

test.each(commandsOf(createProgram()).filter(([name]) => !without.has(name)))('%s has --json', (_name, command) => {
  expect(command.options.map(({ long }) => long)).toContain('--json');
});

test('the general help lists every command, at its own place', () => {
  const first = commands.filter(({ usage }) => !/^\S+ \w/.test(usage));
  expect(first.filter(({ place }) => place === undefined)).toEqual([]);
  const places = commands.flatMap(({ place }) => (place === undefined ? [] : [`${place.group} ${place.rank}`]));
  expect(places.toSorted()).toEqual([...new Set(places)].toSorted());
  expect(places).toHaveLength(first.length);
});

test('a command that calls an action has a field for every argument and option', async () => {
  for (const { usage, options = [], action } of commands) {
    if (action === undefined) continue;
    const { fields = {}, switches = {}, input = {} } = action;
    const called = actions.find(({ name }) => name === action.name);
    if (called === undefined) throw new Error(`${usage}: there is no action ${action.name}`);
    const typed = [
      ...usage.matchAll(/[<[]([\w-]+)/g),
      ...options.flatMap(({ flags }) => [...flags.matchAll(/--([\w-]+)/g)]),
    ];
    const wanted = typed
      .map(([, name = '']) => name)
      .flatMap((name) => (switches[name] ? Object.values(switches[name]) : [fields[name]?.field ?? name]));
    const known = Object.keys(fieldsIn(await inputSchemaOf(called)));
    expect([usage, [...wanted, ...Object.keys(input)].filter((name) => !known.includes(name))]).toEqual([usage, []]);
  }
});

test.each([
  ['statsu', 'There is no command "statsu"; did you mean "hostler status"?\n("hostler --help" lists the commands)'],
  ['nonsense', 'There is no command "nonsense"\n("hostler --help" lists the commands)'],
  // As near to "serve", which nothing can follow.
  ['servce install', 'There is no command "servce"; did you mean "hostler service"?'],
  ['service stat', 'There is no command "service stat"; did you mean "hostler service status"?'],
  ['service instal', 'did you mean "hostler service install"?\n("hostler service --help" lists the commands)'],
  ['completions zsh', 'There is no command "completions"; did you mean "hostler completion"?'],
  // Two begin like this.
  ['dis', 'There is no command "dis"\n'],
  ['token lst', 'There is no command "token lst"; did you mean "hostler token list"?'],
  [
    'status now',
    '"status now" has an extra argument; usage: "hostler status"\n("hostler status --help" shows how to use it)',
  ],
  ['serve --prot 1', '"hostler serve" has no option --prot; did you mean --port?'],
  ['serve --port', 'The value of an option is missing: --port <number>'],
  ['--nonsense', '"hostler" has no option --nonsense\n'],
  ['settings set', '<key> is missing; usage: "hostler settings set <key> <value>"'],
  ['token create', '--name <name> is missing\n("hostler token create --help" shows how to use it)'],
])('"hostler %s" is refused with a message', async (line, sentence) => {
  const program = createProgram();
  const words = line.split(' ');
  const error = await program.parseAsync(words, { from: 'user' }).catch((reason: unknown) => reason);
  if (!(error instanceof CommanderError)) throw new Error('the parser took it');
  expect(mistakeIn(program, words, error)).toContain(sentence);
});

test('the help for a misspelled command suggests the right one', () => {
  expect(misspelledIn(createProgram(), ['service', 'instal'])).toContain('did you mean "hostler service install"?');
  expect(misspelledIn(createProgram(), ['service', 'install'])).toBeNull();
  expect(misspelledIn(createProgram(), [])).toBeNull();
});

test.each(
  commands.flatMap(({ usage, examples = [] }) =>
    examples.map(([line]) => [usage.replace(/ [<[].*/, ''), line] as const),
  ),
)('the help of "%s" shows its usage: %s', (name, line) => {
  const command = commandNamed(createProgram(), name.split(' '));
  const words = line.slice(name.length + 1).split(' ');
  expect(line.startsWith(name)).toBe(true);
  const options = words.filter((word) => word.startsWith('--'));
  const known = command?.commands.flatMap((child) => child.options) ?? [];
  expect([...(command?.options ?? []), ...known].map(({ long }) => long)).toEqual(expect.arrayContaining(options));
  const help: string[] = [];
  command?.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
  expect(help.join('')).toContain(`  hostler ${line}`);
});
