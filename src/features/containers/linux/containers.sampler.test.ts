import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeEngine, socketsOf } from '../../../../test/doubles/fake-engine.ts';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { setPart } from '../../../core/part.ts';
import type { HistoryEvent, Moment } from '../../../core/readings/history.ts';
import { createFiles } from '../../../host/linux/files.ts';
import { containersHistoryLinux } from './containers.sampler.ts';
import { socketLookup } from './engine-sockets.ts';

const socket = '/var/run/docker.sock';
const id = 'a1'.repeat(32);
const roots: string[] = [];
afterAll(() => {
  for (const root of roots) fs.rmSync(root, { recursive: true, force: true });
});

function machine(files: Record<string, string>, paths: readonly string[] = [socket]) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-container-history-'));
  roots.push(root);
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  const engine = fakeEngine();
  const { connectLocal, lookUp } = socketsOf(Object.fromEntries(paths.map((each) => [each, engine])));
  const host = setPart(fakeHost({ connectLocal, files: createFiles({ all: root }) }), socketLookup, lookUp);
  const sampler = containersHistoryLinux(host);
  const sample = async () => {
    const events: HistoryEvent[] = [];
    await sampler.sample({ event: (event: HistoryEvent) => void events.push(event) } as unknown as Moment);
    // The sampler loads it at first use, in the background.
    await import('../engine-client.ts');
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
    return events.map(({ text }) => text);
  };
  return { engine, sampler, sample };
}

const running = { 'var/run/docker.pid': '77\n', 'proc/77/comm': 'dockerd\n' };
const event = (Action: string, exitCode?: string) => ({
  Type: 'container',
  Action,
  Actor: { ID: id, Attributes: { name: 'web', ...(exitCode === undefined ? {} : { exitCode }) } },
});

test('a failure is recorded once, at the next sample', async () => {
  const { engine, sample, sampler } = machine(running);
  expect(await sample()).toEqual([]);
  expect(engine.followers()).toBe(1);
  engine.emit(event('oom'));
  engine.emit(event('die', '137'));
  engine.emit(event('die', '0'));
  engine.emit(event('start'));
  expect(await sample()).toEqual([
    'The container "web" ran out of memory',
    'The container "web" ended with exit code 137',
  ]);
  expect(await sample()).toEqual([]);
  sampler.close?.();
  expect(engine.followers()).toBe(0);
});

test('the engine filters all other events', async () => {
  const { engine, sample, sampler } = machine(running);
  await sample();
  expect(engine.requests.map(decodeURIComponent)).toEqual([
    'GET /events?filters={"type":["container"],"event":["die","oom"]}',
  ]);
  sampler.close?.();
});

test('failures beyond the limit are counted', async () => {
  const { engine, sample, sampler } = machine(running);
  await sample();
  for (let count = 0; count < 50; count += 1) engine.emit(event('die', '1'));
  const texts = await sample();
  expect([texts.length, texts.at(-1)]).toEqual([11, '40 more containers failed in this time']);
  sampler.close?.();
});

test('a Docker that was restarted is found again', async () => {
  const { engine, sample, sampler } = machine(running);
  await sample();
  engine.drop();
  for (let moment = 0; moment < 4; moment += 1) await sample();
  expect(engine.followers()).toBe(1);
  sampler.close?.();
});

test.each<[string, Record<string, string>, string[]]>([
  ['that waits for socket activation', {}, [socket]],
  ['whose PID belongs to another process now', { 'var/run/docker.pid': '77\n', 'proc/77/comm': 'sshd\n' }, [socket]],
  ['that is Podman', { 'run/podman/docker.pid': '77\n', 'proc/77/comm': 'dockerd\n' }, ['/run/podman/podman.sock']],
])('no request is sent to an engine %s', async (_name, files, paths) => {
  const { engine, sample, sampler } = machine(files, paths);
  await sample();
  expect(engine.requests).toEqual([]);
  sampler.close?.();
});
