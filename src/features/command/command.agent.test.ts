import { expect, test } from 'bun:test';
import type { AllowedCommand } from '../../core/files/allowed-command.ts';
import { defaultSettings } from '../index.ts';
import { commandUse } from './command.agent.ts';

function promptFor(given: Partial<AllowedCommand>, offered = true): string {
  const command = { id: 'it', name: 'It', command: '/bin/true', workingDir: '', arguments: [], ...given };
  const settings = {
    ...defaultSettings,
    commands: { allowlist: [command] },
    mcp: { ...defaultSettings.mcp, commands: offered ? ['it'] : [] },
  };
  return commandUse.tool.prompt?.({ command_id: 'it' }, settings) ?? '';
}

test.each<[name: string, given: Partial<AllowedCommand>, lines: string[]]>([
  ['the program', {}, ['/bin/true']],
  ['its arguments', { arguments: ['-c', 'a b', ''] }, ['/bin/true -c "a b" ""']],
  [
    'arguments that look like others',
    { arguments: ['one" "two', 'a\nb', '\u202ex'] },
    ['/bin/true "one\\" \\"two" "a\\nb" "\\u{202e}x"'],
  ],
  ['a letter with an empty glyph', { arguments: ['a\u{13441}'] }, ['/bin/true "a\\u{13441}"']],
  ['where it runs', { workingDir: '/tmp/a b' }, ['/bin/true', 'in the directory "/tmp/a b"']],
])('the prompt shows %s', (_name, given, lines) => {
  expect(promptFor(given).split('\n')).toEqual(['An agent wants to run the command "it":', ...lines]);
});

test('a long argument is not cut', () => {
  const long = 'x'.repeat(10_000);
  expect(promptFor({ arguments: [long] })).toEndWith(`\n/bin/true ${long}`);
});

test('a command no longer offered to agents gives a different prompt', () => {
  expect(promptFor({}, false)).toContain('no longer offered');
});
