import type { SampleBlock } from './block.ts';
import { busiestOf, fromRows, sumUse, toRows } from './busiest-processes.ts';
import { dayMs, daysASeries, findSeries, type HistoryTables } from './database.tables.ts';
import { pack } from './packed-float.ts';
import { openDay, stepMs, stepsADay, stepsOf } from './steps.ts';

export const keptSamplesMs = 24 * 3_600_000;
export const keptStepsMs = 30 * 24 * 3_600_000;
/** More than any machine has; another user can add new ones all the time, such as mounts. */
const mostSeries = 2000;
/** Of each kind: those of the buffer alone would fill 100 MB within the time that events are kept. */
const mostEvents = 5000;

/** Inserts the blocks that are not in the database yet. */
export function insertBlocks(tables: HistoryTables, blocks: readonly SampleBlock[]): void {
  const { database } = tables;
  database.transaction(() => {
    const fresh = blocks.filter((block) => insertBlock(tables, block));
    addAllSteps(tables, fresh);
    for (const block of fresh) {
      addBusy(tables, block);
      for (const { at, kind, text } of block.events)
        database.run('INSERT INTO event (at, kind, text) VALUES (?, ?, ?)', at, kind, text);
    }
    limitSeries(tables, fresh.at(-1));
    limitEvents(tables, new Set(fresh.flatMap(({ events }) => events.map(({ kind }) => kind))));
  });
}

/** Deletes devices, those first that were recorded on no recent day. The highest id stays: its successor must not be one that blocks contain. */
function limitSeries({ database }: HistoryTables, newest: SampleBlock | undefined): void {
  const excess = Number(database.rows('SELECT count(*) AS count FROM series')[0]?.count) - mostSeries;
  if (excess <= 0) return;
  const lastDay = `(SELECT max(key) - id * ${daysASeries} FROM day WHERE key BETWEEN id * ${daysASeries} AND (id + 1) * ${daysASeries} - 1)`;
  const outdated = database
    .rows(`SELECT id, name FROM series WHERE id < (SELECT max(id) FROM series) ORDER BY ${lastDay}, id DESC`)
    .filter(({ name }) => String(name).includes('/') && !Object.hasOwn(newest?.series ?? {}, String(name)));
  for (const { id } of outdated.slice(0, excess)) {
    const first = Number(id) * daysASeries;
    database.run('DELETE FROM day WHERE key BETWEEN ? AND ?', first, first + daysASeries - 1);
    database.run('DELETE FROM series WHERE id = ?', Number(id));
  }
}

function limitEvents({ database }: HistoryTables, kinds: ReadonlySet<string>): void {
  const oldest = `(SELECT at FROM event WHERE kind = ? ORDER BY at DESC LIMIT 1 OFFSET ${mostEvents - 1})`;
  for (const kind of kinds) database.run(`DELETE FROM event WHERE kind = ? AND at < ${oldest}`, kind, kind);
}

export function deleteExpired({ database, layouts }: HistoryTables, now: number): void {
  database.transaction(() => {
    const oldest = now - keptStepsMs;
    // Later entries were recorded while the clock was wrong.
    const newest = now + dayMs;
    const day = (time: number) => Math.floor(time / dayMs);
    database.run('DELETE FROM block WHERE last < ? OR last > ?', now - keptSamplesMs, newest);
    database.run(
      `DELETE FROM day WHERE key % ${daysASeries} < ? OR key % ${daysASeries} > ?`,
      day(oldest),
      day(newest),
    );
    database.run('DELETE FROM busy WHERE step < ? OR step > ?', oldest / stepMs, newest / stepMs);
    database.run('DELETE FROM event WHERE at < ? OR at > ?', oldest, newest);
    database.run('DELETE FROM layout WHERE id NOT IN (SELECT layout FROM block)');
    database.run(`DELETE FROM series WHERE id NOT IN (SELECT key / ${daysASeries} FROM day)`);
    layouts.clear();
  });
}

/** false: the block exists already. */
function insertBlock(tables: HistoryTables, block: SampleBlock): boolean {
  const ids = Object.keys(block.series).map((name) => seriesId(tables, name));
  const { id, every, at, series, processes, events } = block;
  // A block may consist of events only.
  const moments = at.length > 0 ? at : events.map((event) => event.at);
  const first = Math.min(...moments);
  const times = new Uint32Array(at.map((time) => time - first));
  const samples = new Uint16Array(ids.length * at.length);
  for (const [place, column] of Object.values(series).entries())
    for (const [index, value] of column.entries()) samples[place * at.length + index] = pack(value);
  const sql = 'INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
  const parts = [
    layoutOf(tables, ids),
    bytesOf(times),
    bytesOf(samples),
    JSON.stringify(processes.map(toRows)),
  ] as const;
  return tables.database.run(sql, id, first, Math.max(...moments), every, ...parts) > 0;
}

function seriesId(tables: HistoryTables, name: string): number {
  tables.database.run('INSERT OR IGNORE INTO series (name) VALUES (?)', name);
  return findSeries(tables, name) ?? 0;
}

function layoutOf({ database }: HistoryTables, ids: readonly number[]): number {
  const text = ids.join(' ');
  database.run('INSERT OR IGNORE INTO layout (series) VALUES (?)', text);
  return Number(database.rows('SELECT id FROM layout WHERE series = ?', text)[0]?.id);
}

const bytesOf = ({ buffer }: Uint16Array | Uint32Array) => new Uint8Array(buffer);

/** Writes each day once: blocks of the same time share their days. */
function addAllSteps(tables: HistoryTables, blocks: readonly SampleBlock[]): void {
  const columns = new Map<string, { at: number[]; column: (number | null)[] }>();
  for (const { at, series } of blocks)
    for (const [name, values] of Object.entries(series)) {
      const all = columns.get(name) ?? { at: [], column: [] };
      all.at.push(...at);
      all.column.push(...values);
      columns.set(name, all);
    }
  for (const [name, { at, column }] of columns) addSteps(tables, seriesId(tables, name), at, column);
}

function addSteps(
  { database }: HistoryTables,
  id: number,
  at: readonly number[],
  column: readonly (number | null)[],
): void {
  for (const [day, steps] of Map.groupBy(stepsOf(at, column), ([step]) => Math.floor(step / stepsADay))) {
    const key = id * daysASeries + day;
    const stored = database.rows('SELECT data FROM day WHERE key = ?', key)[0]?.data;
    const merged = openDay(stored instanceof Uint8Array ? stored : null);
    for (const [step, value] of steps) merged.add(step % stepsADay, value);
    database.run('INSERT OR REPLACE INTO day VALUES (?, ?)', key, merged.bytes);
  }
}

function addBusy({ database }: HistoryTables, { at, every, processes }: SampleBlock): void {
  const moments = at.map((time, index) => ({ step: Math.floor(time / stepMs), busiest: processes[index] ?? [] }));
  for (const [step, all] of Map.groupBy(moments, (moment) => moment.step)) {
    const stored = database.rows('SELECT processes FROM busy WHERE step = ?', step)[0]?.processes;
    const before = typeof stored === 'string' ? [{ busiest: fromRows(stored), ms: stepMs }] : [];
    const uses = sumUse([...before, ...all.map(({ busiest }) => ({ busiest, ms: every }))]);
    const rows = busiestOf(uses.map((use) => ({ ...use, cpu: (use.cpuMs * 100) / stepMs })));
    database.run('INSERT OR REPLACE INTO busy VALUES (?, ?)', step, JSON.stringify(toRows(rows)));
  }
}
