import type { HistoryEvent } from '../core/readings/history.ts';
import { type Database, DatabaseError } from '../host/database.ts';
import { checkFileVersion } from '../lib/file-version.ts';
import type { SampleBlock } from './block.ts';
import {
  type BusyMoment,
  busiestOf,
  fromRows,
  type ProcessRows,
  parseRows,
  sumUse,
  toRows,
} from './busiest-processes.ts';
import { pack, unpack } from './packed-float.ts';
import { openDay, type Step, stepMs, stepsADay, stepsOf } from './steps.ts';

/** What the file holds, and how it is asked. */
export interface HistoryDatabase {
  /** Takes blocks in that are not there yet. */
  takeIn(blocks: readonly SampleBlock[]): void;
  /** Drops what is older than it is kept for. */
  forget(now: number): void;
  names(): string[];
  /** Every sample of a series between two moments: the span it stands for, and its value. */
  samples(series: string, from: number, to: number, each: (begin: number, end: number, value: number) => void): void;
  /** The same in steps of five minutes. */
  steps(series: string, from: number, to: number, each: (begin: number, step: Step) => void): void;
  /** The busiest processes between two moments. */
  processes(from: number, to: number): BusyMoment[];
  events(from: number, to: number, limit: number): HistoryEvent[];
}

export const keptSamplesMs = 24 * 3_600_000;
export const keptStepsMs = 30 * 24 * 3_600_000;
const dayMs = stepMs * stepsADay;
/** Days of a series lie beside each other: their key is series × this + day. */
const daysASeries = 100_000;

const tables = [
  'CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)',
  'CREATE TABLE IF NOT EXISTS layout (id INTEGER PRIMARY KEY, series TEXT NOT NULL UNIQUE)',
  'CREATE TABLE IF NOT EXISTS block (id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, every INTEGER NOT NULL, layout INTEGER NOT NULL, times BLOB NOT NULL, samples BLOB NOT NULL, processes TEXT NOT NULL)',
  'CREATE INDEX IF NOT EXISTS block_last ON block (last)',
  'CREATE TABLE IF NOT EXISTS day (key INTEGER PRIMARY KEY, data BLOB NOT NULL)',
  'CREATE TABLE IF NOT EXISTS busy (step INTEGER PRIMARY KEY, processes TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)',
  'CREATE INDEX IF NOT EXISTS event_at ON event (at)',
];

/** Of the tables. A change that an older program would misread raises it, and brings older files along. */
const databaseVersion = 1;

/** 6.0.0 left SQLite's own number at 0. */
function prepareTables(database: Database): void {
  const given = Number(database.rows('PRAGMA user_version')[0]?.user_version ?? 0);
  try {
    checkFileVersion('it', given || undefined, databaseVersion, 'move the file away to begin a new history');
  } catch (newer) {
    throw new DatabaseError('other', newer);
  }
  for (const table of tables) database.run(table);
  if (given === 0) database.run(`PRAGMA user_version = ${databaseVersion}`);
}

export function openHistoryDatabase(database: Database): HistoryDatabase {
  prepareTables(database);
  const layouts = new Map<number, Map<number, number>>();

  const idOf = (name: string): number => {
    database.run('INSERT OR IGNORE INTO series (name) VALUES (?)', name);
    return known(name) ?? 0;
  };
  const known = (name: string): number | null => {
    const [row] = database.rows('SELECT id FROM series WHERE name = ?', name);
    return row === undefined ? null : Number(row.id);
  };
  const layoutOf = (ids: readonly number[]): number => {
    const text = ids.join(' ');
    database.run('INSERT OR IGNORE INTO layout (series) VALUES (?)', text);
    return Number(database.rows('SELECT id FROM layout WHERE series = ?', text)[0]?.id);
  };
  const placeIn = (layout: number, id: number): number | undefined => {
    let places = layouts.get(layout);
    if (places === undefined) {
      const text = String(database.rows('SELECT series FROM layout WHERE id = ?', layout)[0]?.series ?? '');
      places = new Map(text.split(' ').map((series, place) => [Number(series), place]));
      layouts.set(layout, places);
    }
    return places.get(id);
  };

  /** false: it is there already. */
  const insert = (block: SampleBlock, ids: readonly number[]): boolean => {
    const { id, every, at, series, processes, events } = block;
    // Some have nothing but events.
    const moments = at.length > 0 ? at : events.map((event) => event.at);
    const first = Math.min(...moments);
    const times = new Uint32Array(at.map((time) => time - first));
    const samples = new Uint16Array(ids.length * at.length);
    for (const [place, column] of Object.values(series).entries())
      for (const [index, value] of column.entries()) samples[place * at.length + index] = pack(value);
    const sql = 'INSERT OR IGNORE INTO block VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
    const parts = [layoutOf(ids), bytesOf(times), bytesOf(samples), JSON.stringify(processes.map(toRows))] as const;
    return database.run(sql, id, first, Math.max(...moments), every, ...parts) > 0;
  };

  const addSteps = (id: number, at: readonly number[], column: readonly (number | null)[]) => {
    for (const [day, steps] of Map.groupBy(stepsOf(at, column), ([step]) => Math.floor(step / stepsADay))) {
      const key = id * daysASeries + day;
      const stored = database.rows('SELECT data FROM day WHERE key = ?', key)[0]?.data;
      const merged = openDay(stored instanceof Uint8Array ? stored : null);
      for (const [step, value] of steps) merged.add(step % stepsADay, value);
      database.run('INSERT OR REPLACE INTO day VALUES (?, ?)', key, merged.bytes);
    }
  };

  /** Blocks of the same moment share their days: each is written once. */
  const addAllSteps = (blocks: readonly SampleBlock[]) => {
    const columns = new Map<string, { at: number[]; column: (number | null)[] }>();
    for (const { at, series } of blocks)
      for (const [name, values] of Object.entries(series)) {
        const all = columns.get(name) ?? { at: [], column: [] };
        all.at.push(...at);
        all.column.push(...values);
        columns.set(name, all);
      }
    for (const [name, { at, column }] of columns) addSteps(idOf(name), at, column);
  };

  const addBusy = ({ at, every, processes }: SampleBlock) => {
    const moments = at.map((time, index) => ({ step: Math.floor(time / stepMs), busiest: processes[index] ?? [] }));
    for (const [step, all] of Map.groupBy(moments, (moment) => moment.step)) {
      const stored = database.rows('SELECT processes FROM busy WHERE step = ?', step)[0]?.processes;
      const before = typeof stored === 'string' ? [{ busiest: fromRows(stored), ms: stepMs }] : [];
      const uses = sumUse([...before, ...all.map(({ busiest }) => ({ busiest, ms: every }))]);
      const rows = busiestOf(uses.map((use) => ({ ...use, cpu: (use.cpuMs * 100) / stepMs })));
      database.run('INSERT OR REPLACE INTO busy VALUES (?, ?)', step, JSON.stringify(toRows(rows)));
    }
  };

  return {
    takeIn(blocks) {
      database.transaction(() => {
        const fresh = blocks.filter((block) => insert(block, Object.keys(block.series).map(idOf)));
        addAllSteps(fresh);
        for (const block of fresh) {
          addBusy(block);
          for (const { at, kind, text } of block.events)
            database.run('INSERT INTO event (at, kind, text) VALUES (?, ?, ?)', at, kind, text);
        }
      });
    },
    forget(now) {
      database.transaction(() => {
        const oldest = now - keptStepsMs;
        // What lies in the future was recorded while the clock was wrong.
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
    },
    names: () => database.rows('SELECT name FROM series').map(({ name }) => String(name)),
    samples(series, from, to, each) {
      const id = known(series);
      if (id === null) return;
      const sql =
        'SELECT first, every, layout, times, samples FROM block WHERE last >= ? AND first <= ? ORDER BY first';
      for (const { first, every, layout, times, samples } of database.rows(sql, from, to)) {
        const place = placeIn(Number(layout), id);
        if (place === undefined || !(times instanceof Uint8Array) || !(samples instanceof Uint8Array)) continue;
        const offsets = new Uint32Array(times.slice().buffer);
        const column = new DataView(samples.buffer, samples.byteOffset + place * offsets.length * 2);
        for (const [index, offset] of offsets.entries()) {
          const value = unpack(column.getUint16(index * 2, true));
          const end = Number(first) + offset;
          if (value !== null && end >= from && end <= to) each(end - Number(every), end, value);
        }
      }
    },
    steps(series, from, to, each) {
      const id = known(series);
      if (id === null) return;
      const key = (time: number) => id * daysASeries + Math.floor(time / dayMs);
      const sql = 'SELECT key, data FROM day WHERE key BETWEEN ? AND ? ORDER BY key';
      for (const row of database.rows(sql, key(from), key(to))) {
        if (!(row.data instanceof Uint8Array)) continue;
        const day = openDay(row.data);
        const begin = (Number(row.key) % daysASeries) * dayMs;
        for (let place = 0; place < stepsADay; place += 1) {
          const at = begin + place * stepMs;
          const step = at + stepMs <= from || at > to ? null : day.get(place);
          if (step !== null) each(at, step);
        }
      }
    },
    processes(from, to) {
      const sql = 'SELECT first, every, times, processes FROM block WHERE last >= ? AND first <= ?';
      const moments = database.rows(sql, from, to).flatMap(({ first, every, times, processes }) => {
        if (!(times instanceof Uint8Array)) return [];
        const rows: ProcessRows[] = JSON.parse(String(processes));
        return [...new Uint32Array(times.slice().buffer)].flatMap((offset, index) => {
          const at = Number(first) + offset;
          return at < from || at > to ? [] : [{ busiest: parseRows(rows[index] ?? []), ms: Number(every) }];
        });
      });
      if (moments.length > 0) return moments;
      const steps = database.rows(
        'SELECT processes FROM busy WHERE step BETWEEN ? AND ?',
        Math.floor(from / stepMs),
        Math.floor(to / stepMs),
      );
      return steps.map(({ processes }) => ({ busiest: fromRows(String(processes)), ms: stepMs }));
    },
    events: (from, to, limit) =>
      database
        .rows(
          'SELECT at, kind, text FROM event WHERE at BETWEEN ? AND ? ORDER BY at DESC, id DESC LIMIT ?',
          from,
          to,
          limit,
        )
        .map(({ at, kind, text }) => ({ at: Number(at), kind: String(kind), text: String(text) }))
        .reverse(),
  };
}

const bytesOf = ({ buffer }: Uint16Array | Uint32Array) => new Uint8Array(buffer);
