import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { defaultSettings } from '../../src/features/index.ts';
import { commandLine, serviceEnvironment, until } from '../../test/real/harness/service.ts';
import { pause } from '../harness/harness.ts';
import { contentOf, spoil, writeSomehow } from './files.ts';
import type { Junk } from './junk.ts';
import type { Surface, Target } from './surface.ts';

/** A settings file that is junk while the service follows it, and while commands read it. After each round a good one must count again. */
export const settings: Surface = {
  name: 'settings',
  by: 'unauthenticated',
  // What cannot be used is said, each time.
  expected: [/settings/i],
  prepare(directory) {
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
    fs.writeFileSync(fileOf(directory), '{}', { mode: 0o600 });
  },
  async throwJunk(target) {
    const { junk, directory, isOver, sent, fault } = target;
    for (let round = 1; !isOver(); round++) {
      for (let count = 0; count < 20; count++) {
        if (junk.chance(0.1)) spoil(fileOf(directory), junk);
        else {
          clear(directory);
          writeSomehow(
            fileOf(directory),
            contentOf(junk, () => nearly(junk)),
            junk,
          );
        }
        sent();
        await pause(junk.below(150));
      }
      if (round % 3 === 0) runCommand(target);
      const name = `home-${round}.example`;
      clear(directory);
      writeSomehow(fileOf(directory), JSON.stringify({ security: { allowedHosts: [name] } }), junk);
      const taken = await until(async () => ((await isKnown(target, name)) ? true : null), 30_000).catch(() => false);
      if (!taken) fault(`round ${round}: a good settings file was not taken within 30 s`);
    }
  },
};

const fileOf = (directory: string) => path.join(directory, 'config', 'settings.json');

/** A directory or a link in its place is gone before a file is written. */
function clear(directory: string): void {
  const found = fs.lstatSync(fileOf(directory), { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) fs.rmSync(fileOf(directory), { recursive: true, force: true });
}

/** Any key of the settings with any value; but none that sends something into the network. */
function nearly(junk: Junk): string {
  const { discovery: _discovery, releases: _releases, chat: _chat, ...harmless } = defaultSettings;
  const given: Record<string, unknown> = { security: { allowedHosts: ['localhost'] } };
  for (const [key, value] of Object.entries(harmless)) {
    if (junk.chance(0.7)) continue;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    given[key] =
      isGroup && junk.chance(0.9)
        ? Object.fromEntries(Object.keys(value).map((inner) => [inner, junk.value(2)]))
        : junk.value();
  }
  return JSON.stringify(given, null, junk.below(3));
}

/** Under that name the service is reached only with this file. */
async function isKnown({ hostler }: Target, name: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${hostler.port}/api/health`, {
    headers: { Host: `${name}:${hostler.port}` },
  });
  await response.text();
  return response.status === 200;
}

/** Says what is wrong in a sentence, and never shows where in the program it was found. */
function runCommand({ directory, fault, hostler }: Target): void {
  const [program = '', ...args] = [...commandLine(false), 'settings'];
  const env = serviceEnvironment(directory, { SERVICE_PORT: String(hostler.port) });
  const { stdout, stderr, status, signal } = spawnSync(program, args, { env, encoding: 'utf8', timeout: 60_000 });
  if (signal !== null || (status !== 0 && status !== 1)) fault(`"hostler settings" ended with ${signal ?? status}`);
  if (/^\s+at .*:\d+/m.test(stdout + stderr)) fault(`"hostler settings" shows a stack: ${stderr.slice(0, 500)}`);
}
