import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { ownCommand, ownProgram } from './own-command.ts';

const root = path.resolve(import.meta.dirname, '..', '..');

/** Sentences about another machine, whose start command is unknown, and scripts that shells read. */
const elsewhere: [file: string, text: string][] = [
  ['src/cli/completion.ts', 'hostler'],
  ['src/cli/access/pair-code.ts', 'On another machine, run "hostler pair'],
  ['src/cli/access/pair.commands.ts', 'printed there'],
  ['src/cli/access/pair.ts', 'printed there'],
  ['src/cli/access/pair.ts', 'run "hostler token revoke" there'],
  ['packages/client/src/pin.ts', '"hostler tls fingerprint" on that machine'],
  ['web/views/connections/machines.tsx', 'hostler settings set security.allowedOrigins'],
];

test('the own command is the name of the built file unless a launcher sets another command', () => {
  expect(ownProgram).toBe(process.env.HOSTLER_COMMAND ?? 'hostler');
  expect(ownCommand('token list')).toBe(`${ownProgram} token list`);
});

test('every message that names a command uses the command of this installation', () => {
  const named = ['src', 'web'].flatMap((folder) => {
    const files = fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return files.filter(isProduct).flatMap((file) => namingLines(path.posix.join(folder, file.replaceAll('\\', '/'))));
  });
  expect(named).toEqual([]);
});

const isProduct = (file: string) => /\.tsx?$/.test(file) && !/\.test\.|\.generated\.|fixtures/.test(file);

function namingLines(file: string): string[] {
  const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
  return lines
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .filter((line) => /["'`“>( ]hostler [a-z-]/.test(line) && !/hostler machine identifier/.test(line))
    .filter((line) => !elsewhere.some(([place, text]) => place === file && line.includes(text)))
    .map((line) => `${file}: ${line.trim()}`);
}
