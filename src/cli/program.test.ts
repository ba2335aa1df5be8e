import { expect, test } from 'bun:test';
import type { Command } from 'commander';
import { createProgram } from './program.ts';

/** They print what only another program reads, or nothing. */
const without = new Set([
  ...['serve', 'mcp', 'mcp config', 'completion', 'complete'],
  ...['tls', 'power', 'chat', 'settings', 'control', 'display', 'mqtt', 'service', 'import', 'clipboard', 'pointer'],
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
