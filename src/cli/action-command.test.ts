import { expect, test } from 'bun:test';
import { answering, type CommandContext } from '../core/command.ts';
import { actions } from '../features/index.ts';
import { runActionCommand, type TypedValue } from './action-command.ts';
import { commands } from './program.ts';

const argument = (name: string, value: TypedValue['value']): TypedValue => ({
  name,
  value,
  flag: null,
  placeholder: null,
});
const option = (name: string, value: TypedValue['value'], placeholder: string | null = null): TypedValue => ({
  name,
  value,
  flag: `--${name}`,
  placeholder,
});

async function run(words: string, typed: TypedValue[] = [], isJson = false) {
  const command = commands.find(({ usage }) => usage.replace(/ [<[].*/, '') === words)?.action;
  const action = actions.find(({ name }) => name === command?.name);
  if (command === undefined || action === undefined) throw new Error(`"${words}" calls no action`);
  const calls: [string, Record<string, unknown>][] = [];
  const lines: string[] = [];
  const context: Partial<CommandContext> = {
    ...answering((line) => void lines.push(line), isJson),
    async call(name, input) {
      calls.push([name, input]);
      return { message: 'done\tnow', data: { lines: [] } };
    },
    readRunning: async () => ({ units: [], manager: 'systemd' }),
  };
  await runActionCommand(context as CommandContext, action, command, typed);
  return { calls, lines };
}

test.each([
  ['display brightness', [argument('percent', '40 %'), option('display', 'DP-1')], { percent: 40, display: 'DP-1' }],
  ['display input', [argument('name', 'HDMI-1')], { input: 'HDMI-1' }],
  ['display off', [], { on: false }],
  ['control pause', [option('for', '1h')], { seconds: 3600 }],
  ['pointer move', [argument('x', '-5'), argument('y', '2.5')], { x: -5, y: 2.5 }],
  ['pointer move', [argument('x', '-5'), argument('y', '2'), option('by', true)], { dx: -5, dy: 2 }],
  ['pointer scroll', [argument('steps', '3')], { dy: 3 }],
  ['pointer scroll', [argument('steps', '3'), option('sideways', true)], { dx: 3 }],
  ['power lock', [option('delay', '5', 'seconds'), option('force', true)], { delay: 5, force: true }],
  ['history', [argument('series', ['cpu', 'memory']), option('last', '7d')], { series: 'cpu,memory', last: '7d' }],
  ['services restart', [argument('unit', 'nginx')], { unit: 'nginx.service' }],
  ['chat set-user-volume', [argument('user_id', '1'), argument('value', '80')], { user_id: '1', value: 80 }],
] as [string, TypedValue[], object][])('"%s" with %j is the input of its action', async (words, typed, input) => {
  // As JSON, since the answer here is not a history.
  const { calls } = await run(words, typed, true);
  expect(calls[0]?.[1]).toMatchObject(input);
});

test.each([
  [
    'display brightness',
    [argument('percent', '150')],
    'The brightness must be a number from 0 to 100, but it is "150"',
  ],
  [
    'power lock',
    [option('delay', 'soon', 'seconds')],
    '--delay must be a number of seconds from 0 to 3600, but it is "soon"',
  ],
  ['pointer move', [argument('x', 'x'), argument('y', '1')], '"x" is not a number from -100000 to 100000'],
  ['pointer click', [argument('x', '5')], 'x and y belong together'],
  ['control pause', [option('for', 'x')], '--for must be a span such as 30m, 1h or 7d, but it is "x"'],
  ['services logs', [argument('unit', 'a'), option('lines', '501')], '--lines must be a whole number from 1 to 500'],
] as [string, TypedValue[], string][])(
  '"%s" refuses %j before it calls the service',
  async (words, typed, sentence) => {
    await expect(run(words, typed)).rejects.toThrow(sentence);
  },
);

test('the message is one line; --json prints the whole result', async () => {
  expect((await run('power lock')).lines).toEqual(['done now']);
  const [text = ''] = (await run('power lock', [], true)).lines;
  expect(JSON.parse(text)).toEqual({ message: 'done\tnow', data: { lines: [] } });
});

test('a command that shows data prints it, and only the data as JSON', async () => {
  expect((await run('containers logs', [argument('name', 'web')])).lines).toEqual([]);
  const [text = ''] = (await run('containers logs', [argument('name', 'web')], true)).lines;
  expect(JSON.parse(text)).toEqual({ lines: [] });
});
