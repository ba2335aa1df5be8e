import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, needs } from '../harness/parts.ts';
import { commandLine, runHostler } from '../harness/service.ts';

setDefaultTimeout(120_000);

/** The words typed so far, the last one being typed, and what the shell offers for it. */
const typed: [string[], string[]][] = [
  [
    ['service', ''],
    ['install', 'remove', 'status', 'restart', 'logs'],
  ],
  [['settings', 'get', 'server.por'], ['server.port']],
  [['logs', '--level', 'W'], ['WARN']],
];

describe('real shells', () => {
  let directory: string;
  const scripts: Record<string, string> = {};
  beforeAll(async () => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-shells-'));
    const words = commandLine(false).map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    fs.writeFileSync(path.join(directory, 'hostler'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
    for (const shell of ['bash', 'zsh', 'fish']) {
      // zsh finds it by this name.
      scripts[shell] = path.join(directory, shell === 'zsh' ? '_hostler' : shell);
      const { stdout } = await runHostler(['completion', shell], { directory });
      fs.writeFileSync(scripts[shell], stdout);
    }
  });
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

  const linesOf = (shell: string, ...args: string[]) => {
    // A shell warns of a locale that is not installed.
    const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, HOME: directory, LC_ALL: 'C.UTF-8' };
    const { stdout, stderr } = spawnSync(findProgram(shell) ?? '', args, { env, encoding: 'utf8', cwd: directory });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((line) => line !== '');
  };
  const listOf = (words: readonly string[]) => ['hostler', ...words].map((word) => `'${word}'`).join(' ');

  test.skipIf(!needs('bash')).each(typed)('bash completes %j', (words, expected) => {
    const script = `source '${scripts.bash}'; COMP_WORDS=(${listOf(words)}); COMP_CWORD=${words.length}; _hostler; printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect(linesOf('bash', '--norc', '-c', script)).toEqual(expected);
  });

  /** As the shell calls it: found by its name and loaded at the first use, which must already complete. */
  test.skipIf(!needs('zsh')).each(typed)('zsh completes %j at the first press of the key', (words, expected) => {
    const script = `fpath=('${directory}' $fpath); compadd() { shift; print -l -- "$@" }; autoload -Uz _hostler; words=(${listOf(words)}); CURRENT=${words.length + 1}; _hostler`;
    expect(linesOf('zsh', '-f', '-c', script)).toEqual(expected);
  });

  test.skipIf(!needs('zsh'))('zsh also completes from a file that is sourced', () => {
    const script = `compdef() { print -- "$@" }; source '${scripts.zsh}'`;
    expect(linesOf('zsh', '-f', '-c', script)).toEqual(['_hostler hostler']);
  });

  test.skipIf(!needs('fish')).each(typed)('fish completes %j', (words, expected) => {
    const script = `source '${scripts.fish}'; complete -C 'hostler ${words.join(' ')}'`;
    expect(linesOf('fish', '--no-config', '-c', script).sort()).toEqual([...expected].sort());
  });

  test.skipIf(!needs('fish'))('fish completes file names where a file is expected', () => {
    const script = `source '${scripts.fish}'; complete -C 'hostler record _host'; complete -C 'hostler status _host'`;
    expect(linesOf('fish', '--no-config', '-c', script)).toEqual(['_hostler']);
  });
});
