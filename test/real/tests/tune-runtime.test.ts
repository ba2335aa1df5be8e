import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { triedWith } from '../../../src/app/runtime-options.ts';
import { type RunningHostler, root, type StartOptions, startHostler } from '../harness/service.ts';

setDefaultTimeout(120_000);

test('the options are those of the installed runtime', () => {
  const text = fs.readFileSync(path.join(root, 'package.json'), 'utf8');
  expect(JSON.parse(text).dependencies.bun).toBe(triedWith);
});

const forms = [
  { form: 'source', compiled: false },
  { form: 'compiled', compiled: true },
];

describe.each(forms)('the runtime of the service, $form', ({ compiled }) => {
  const withService = async (options: StartOptions, look: (running: RunningHostler) => void | Promise<void>) => {
    await using running = await startHostler({ compiled, ...options });
    try {
      await look(running);
    } finally {
      expect(await running.stop()).toBe(0);
    }
  };
  /** Its initial environment; variables removed since are still visible. */
  const startedWith = ({ pid }: RunningHostler) => fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');

  test('is tuned, and the process stays the one that was started', () =>
    withService({ env: { BUN_JSC_thresholdForJITSoon: '77' } }, async (running) => {
      expect(startedWith(running)).toContain('BUN_JSC_useWarmUpMarkedBlocks=0');
      // An option set by the user is respected.
      expect(startedWith(running)).toContain('BUN_JSC_thresholdForJITSoon=77');
      expect(fs.readFileSync(`/proc/${running.pid}/comm`, 'utf8')).toBe('hostler\n');
      const answer = await running.get('/api/data/processes');
      const processes: unknown = await answer.json();
      expect(processes).toContainEqual(expect.objectContaining({ id: running.pid }));
      expect(running.output()).not.toContain('Warning');
    }));

  test('keeps the options of the command line, and no file of the working directory is read', () => {
    const directory = fs.mkdtempSync('/tmp/hostler-tuned-');
    fs.writeFileSync(path.join(directory, '.env'), 'SERVICE_LOG_LEVEL=nonsense\n');
    const through = ['/usr/bin/env', '-C', directory];
    return withService({ args: ['--host', '127.0.0.1', '--log-level', 'debug'], through }, (running) => {
      const args = fs.readFileSync(`/proc/${running.pid}/cmdline`, 'latin1').split('\0');
      expect(args.join(' ')).toContain('serve --port 0 --host 127.0.0.1 --log-level debug');
    }).finally(() => fs.rmSync(directory, { recursive: true }));
  });

  test('is not tuned where that is disabled', () =>
    withService({ env: { HOSTLER_TUNED: '1' } }, (running) => {
      expect(startedWith(running).filter((variable) => variable.startsWith('BUN_JSC_'))).toEqual([]);
    }));
});
