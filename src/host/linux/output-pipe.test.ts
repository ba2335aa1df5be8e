import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { until } from '../../../test/harness/until.ts';
import { createRunner } from '../processes/run.ts';
import { loadOutputPipes } from './output-pipe.ts';

setDefaultTimeout(60_000);

const runner = createRunner({ outputs: loadOutputPipes });
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-output-'));
afterAll(async () => {
  await runner.endAll();
  fs.rmSync(directory, { recursive: true, force: true });
});

const sh = (script: string, options?: Parameters<typeof runner.run>[2]) =>
  runner.run('/bin/sh', ['-c', script], options);

test('a script can open its output by name, repeatedly', async () => {
  const script =
    'echo one > /dev/stderr; echo two >> /dev/stderr; echo three > /dev/stdout; echo four | tee /dev/stderr';
  expect(await sh(script)).toMatchObject({ exitCode: 0, stderr: 'one\ntwo\nfour\n', stdout: 'three\nfour\n' });
});

test('a child of a script can open its output by name, and the input is unchanged', async () => {
  const result = await sh('sh -c \'cat > /dev/stdout\'; awk \'BEGIN { print "x" > "/dev/stderr" }\'', {
    input: 'given',
  });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'given', stderr: 'x\n' });
});

test('output above the limit is read and discarded', async () => {
  const result = await sh('head -c 20000000 /dev/zero > /dev/stderr; echo end', { maxOutput: 1000 });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'end\n', truncated: true });
  expect(result.stderr).toHaveLength(1000);
});

test('output is passed on while the program runs', async () => {
  const go = path.join(directory, 'go');
  const received: string[] = [];
  const running = sh(`echo first > /dev/stderr; while [ ! -e '${go}' ]; do sleep 0.05; done; echo last`, {
    onOutput: (stream, text) => void received.push(`${stream} ${text}`),
  });
  await until(() => received.length > 0, 'the first line has arrived');
  fs.writeFileSync(go, '');
  await running;
  expect(received).toEqual(['stderr first\n', 'stdout last\n']);
});

test('a descendant does not delay the result, and may continue writing', async () => {
  const [go, done] = [path.join(directory, 'go-on'), path.join(directory, 'done')];
  const later = `until [ -e '${go}' ]; do sleep 0.02; done; head -c 200000 /dev/zero > /dev/stdout && touch '${done}'`;
  expect(await sh(`(${later}) & echo started`)).toMatchObject({ exitCode: 0, stdout: 'started\n' });
  expect(fs.existsSync(done)).toBeFalse();
  fs.writeFileSync(go, '');
  await until(() => fs.existsSync(done), 'the descendant has written');
});

test('no descriptor stays open, however a program ends', async () => {
  const open = () => fs.readdirSync('/proc/self/fd').length;
  await sh('true');
  const before = open();
  for (let time = 0; time < 20; time += 1) {
    await sh('echo x > /dev/stderr');
    await runner.run('/nonexistent/program', []).catch(() => {});
    await sh('sleep 100', { timeoutMs: 10 });
  }
  await until(() => open() <= before, 'all of them are closed');
});
