import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { HistoryResult } from '../../../src/core/readings/history.ts';
import { type SampleBlock, writeBlock } from '../../../src/history/block.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

const stepMs = 300_000;
const samples = 20;
const every = 15_000;

/** Hours of a machine with 50 % CPU usage, as an earlier run of the service left them. */
function prepareJournal(state: string, blocks: number): void {
  const now = Math.floor(Date.now() / stepMs) * stepMs;
  const lines = Array.from({ length: blocks }, (_, index): string => {
    const start = now - (blocks - index) * stepMs;
    const at = Array.from({ length: samples }, (_unused, sample) => start + sample * every);
    const series = Object.fromEntries(
      ['cpu', 'memory', 'load', ...Array.from({ length: 16 }, (_unused, core) => `cpu/${core}`)].map((name) => [
        name,
        at.map(() => 50),
      ]),
    );
    const block: SampleBlock = { id: index + 1, every, at, series, processes: at.map(() => []), events: [] };
    return writeBlock(block);
  });
  fs.mkdirSync(state, { recursive: true });
  fs.writeFileSync(path.join(state, 'history.journal'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

const answer = async (hostler: RunningHostler, query: string): Promise<HistoryResult> => {
  const response = await hostler.get(`/api/history?${query}`, { 'X-API-Token': hostler.token });
  expect(response.status).toBe(200);
  return await response.json();
};
const known = (values: (number | null)[] = []) => values.filter((value) => value !== null);
const faster = (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), '{"history":{"interval":5}}');
};

test('the machine is recorded, readable over HTTP, WebSocket and the command line, and kept over a restart', async () => {
  const hostler = await startHostler({ prepare: faster });
  try {
    // The first sample has no rates yet.
    const first = await until(async () => {
      const got = await answer(hostler, 'series=cpu,memory&last=15m');
      return known(got.series.find(({ name }) => name === 'cpu')?.mean).length > 0 ? got : null;
    });
    expect(first.recording).toBe(true);
    expect(first.processes.length).toBeGreaterThan(0);
    const socket = await connectSocket(hostler);
    const { type, data } = await socket.ask('GET_HISTORY', { series: ['memory'], last: '15m' });
    expect(type).toBe('HISTORY');
    expect(data).toMatchObject({ series: [{ name: 'memory', unit: 'percent' }] });
    socket.end();
    const { code, stdout } = await runHostler(['history', 'memory', '--last', '15m'], { directory: hostler.directory });
    expect(code).toBe(0);
    expect(stdout).toContain('memory: mean ');
    expect(stdout).toContain('Hostler was started');
    expect((await hostler.get('/api/history', {})).status).toBe(401);
    const refused = await hostler.get('/api/history?last=never', { 'X-API-Token': hostler.token });
    expect(refused.status).toBe(400);
  } finally {
    await end(hostler);
  }
  const file = path.join(hostler.directory, 'state', 'history.db');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const again = await startHostler({ directory: hostler.directory });
  try {
    const { events, series } = await answer(again, 'series=memory&last=15m');
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'stop', 'start']);
    expect(known(series[0]?.mean).length).toBeGreaterThan(0);
  } finally {
    await again.stop();
  }
});

test('while it is off nothing is written', async () => {
  const hostler = await startHostler({
    prepare(directory) {
      fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
      fs.writeFileSync(path.join(directory, 'config', 'settings.json'), '{"history":{"enabled":false}}');
    },
  });
  await end(hostler);
  expect(fs.readdirSync(path.join(hostler.directory, 'state')).filter((name) => name.startsWith('history'))).toEqual(
    [],
  );
});

test('a kill at any moment while the journal is merged leaves every block exactly once', async () => {
  const blocks = 120;
  let directory: string | undefined;
  const outcomes: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    const hostler: RunningHostler = await startHostler({
      ...(directory === undefined ? {} : { directory }),
      prepare: (place) => {
        if (directory === undefined) prepareJournal(path.join(place, 'state'), blocks);
      },
    });
    directory = hostler.directory;
    const asked = hostler
      .get('/api/history?series=cpu&last=1d', { 'X-API-Token': hostler.token })
      .then(({ status }) => String(status))
      .catch(() => 'gone');
    await Bun.sleep(round * 4);
    await end(hostler, 'SIGKILL');
    outcomes.push(await asked);
  }
  // Some were killed before they could answer: this is intended.
  expect(outcomes).toContain('gone');
  const last: RunningHostler = await startHostler(directory === undefined ? {} : { directory });
  try {
    const { series } = await answer(last, 'series=cpu&last=1d&step=300');
    expect(known(series[0]?.mean).filter((value) => value === 50).length).toBeGreaterThanOrEqual(blocks - 1);
  } finally {
    await end(last);
  }
  const database = new Database(path.join(last.directory, 'state', 'history.db'));
  try {
    expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.query(`SELECT count(*) AS count FROM block WHERE id <= ${blocks}`).get()).toEqual({
      count: blocks,
    });
    // Each step was computed from twenty samples: no block was merged twice.
    const days = database
      .query<{ data: Uint8Array }, []>(
        "SELECT data FROM day WHERE key / 100000 = (SELECT id FROM series WHERE name = 'cpu/15')",
      )
      .all();
    const counts = days.flatMap(({ data }) => [...data.subarray(288 * 6)]).filter((count) => count > 0);
    expect(new Set(counts)).toEqual(new Set([samples]));
    expect(counts).toHaveLength(blocks);
  } finally {
    database.close();
    await last.stop();
  }
});

/** Ends the process and leaves its files, which `stop` would remove. */
async function end({ pid }: RunningHostler, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  process.kill(pid, signal);
  await until(() => (isRunning(pid) ? null : true));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const canMount = process.getuid?.() === 0 && needs('/usr/bin/mount');

describe.skipIf(!canMount)('a full disk', () => {
  test('affects only the history, is reported once, and loses no data once space is available', async () => {
    const directory = fs.mkdtempSync('/tmp/hostler-full-');
    const state = path.join(directory, 'state');
    fs.mkdirSync(state);
    const mounted = spawnSync('/usr/bin/mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=700', 'none', state]);
    if (mounted.status !== 0) return console.warn('skipped: nothing can be mounted here');
    const filler = path.join(state, 'filler');
    try {
      prepareJournal(state, 20);
      const hostler = await startHostler({ directory });
      try {
        fill(filler);
        for (let turn = 0; turn < 3; turn += 1) {
          const response = await hostler.get('/api/history?series=cpu', { 'X-API-Token': hostler.token });
          expect([200, 502]).toContain(response.status);
          expect((await hostler.get('/api/health')).status).toBe(200);
        }
        expect(hostler.output().match(/cannot be written/g)).toHaveLength(1);
        fs.rmSync(filler);
        const { series } = await answer(hostler, 'series=cpu&last=1d&step=300');
        expect(known(series[0]?.mean).length).toBeGreaterThanOrEqual(19);
      } finally {
        await end(hostler);
      }
    } finally {
      spawnSync('/usr/bin/umount', [state]);
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });
});

function fill(file: string): void {
  const descriptor = fs.openSync(file, 'w');
  try {
    for (;;) fs.writeSync(descriptor, Buffer.alloc(4096));
  } catch {
    // That is what was wanted.
  } finally {
    fs.closeSync(descriptor);
  }
}
