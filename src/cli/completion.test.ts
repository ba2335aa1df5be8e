import { expect, test } from 'bun:test';
import { candidates } from './completion.ts';
import { createProgram } from './program.ts';

test.each([
  [['serv'], ['serve', 'service', 'services']],
  [['token', 're'], ['revoke']],
  [
    ['data', 'me'],
    ['media', 'memory'],
  ],
  [['data', 'memory', ''], []],
  [['service', 'install', '--l'], ['--linger']],
  [['settings', 'get', 'server.por'], ['server.port']],
  [['settings', 'set', 'mcp.mod'], ['mcp.mode']],
  [
    ['settings', 'set', 'logLevel', ''],
    ['DEBUG', 'INFO', 'WARN', 'ERROR'],
  ],
  [['settings', 'set', 'systemTray', 't'], ['true']],
  [['settings', 'set', 'no.such', ''], []],
  [['logs', '--level', 'W'], ['WARN']],
  // The value of an option is not a command or a module.
  [['logs', '--lines', ''], []],
  [['logs', '--lines', '5', '--fo'], ['--follow']],
  [
    ['serve', '--log-format', ''],
    ['text', 'json'],
  ],
  [['token', 'create', '--name', 'list', '--scope', 're'], ['read']],
  // A switch has no value.
  [['data', '--json', 'mem'], ['memory']],
  [
    ['mcp', 'config', 'claude'],
    ['claude-code', 'claude-desktop'],
  ],
  [['completion', 'z'], ['zsh']],
  [['record', ''], []],
])('%j is completed to %j', async (words, expected) => {
  expect(await candidates(createProgram(), words.slice(0, -1), words.at(-1) ?? '')).toEqual(expected);
});
