import { afterAll, beforeAll, setDefaultTimeout } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import type { AllowedCommand } from '../../src/core/files/allowed-command.ts';
import { commandExecute } from '../../src/features/command/command.ts';
import { defaultSettings } from '../../src/features/index.ts';
import { createRunner } from '../../src/host/processes/run.ts';
import { fakeActionContext, fakeContext, fakeHost } from '../doubles/fake-host.ts';
import { realContained } from './contained.ts';
import { perform } from './perform.ts';

export let home: string;
export let runner: ReturnType<typeof createRunner>;

/** To be called once by each file of tests. */
export function useCommandHome(): void {
  setDefaultTimeout(60_000);
  beforeAll(() => {
    runner = createRunner();
    home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-command-')));
    fs.writeFileSync(path.join(home, 'script.sh'), '#!/bin/sh\necho from a script', { mode: 0o755 });
    fs.writeFileSync(path.join(home, 'plain.txt'), 'no program', { mode: 0o644 });
  });
  afterAll(async () => {
    await runner.endAll();
    fs.rmSync(home, { recursive: true, force: true });
  });
}

export const entry = (given: Partial<AllowedCommand>): AllowedCommand => ({
  id: 'it',
  name: 'It',
  command: '/bin/true',
  workingDir: '',
  arguments: [],
  ...given,
});
/** Uses the shell because a script can fail in many ways. */
export const sh = (script: string, given: Partial<AllowedCommand> = {}) =>
  entry({ command: '/bin/sh', arguments: ['-c', script], ...given });

export const commandMachine = (variables: Record<string, string> = {}, run = runner.run) =>
  fakeHost({
    contained: realContained(),
    run,
    environment: { home, variables },
    session: { find: async () => ({ variables: { DISPLAY: ':7' }, wayland: null, x11: null }), watch: () => () => {} },
  });

export function commandContext(allowlist: AllowedCommand[], host = commandMachine()) {
  const logged: string[] = [];
  const note = (line: string) => void logged.push(line);
  const log = { ...fakeContext().log, info: note, warn: note };
  const made = fakeActionContext(host, { settings: () => ({ ...defaultSettings, commands: { allowlist } }), log });
  const execute = async (input: unknown): Promise<Record<string, unknown>> => {
    const answer = await perform(commandExecute, input, made.context);
    return Object.fromEntries(Object.entries(answer ?? {}));
  };
  return { ...made, sent: made.notifications, logged, execute };
}

export const partSchema = z.strictObject({ commandID: z.literal('it'), stream: z.string(), text: z.string().min(1) });
export const it = { commandID: 'it' };
