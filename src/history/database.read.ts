import type { HistoryEvent } from '../core/readings/history.ts';
import { type BusyMoment, fromRows, type ProcessRows, parseRows } from './busiest-processes.ts';
import { dayMs, daysASeries, findSeries, type HistoryTables } from './database.tables.ts';
import { unpack } from './packed-float.ts';
import { openDay, type Step, stepMs, stepsADay } from './steps.ts';

/** `at`: when it was taken; `every`: milliseconds between samples. */
export type EachSample = (at: number, every: number, value: number | null) => void;
export type EachStep = (begin: number, step: Step) => void;

export function seriesNames({ database }: HistoryTables): string[] {
  return database.rows('SELECT name FROM series').map(({ name }) => String(name));
}

export function readSamples(tables: HistoryTables, series: string, from: number, to: number, each: EachSample): void {
  const id = findSeries(tables, series);
  if (id === null) return;
  const sql = 'SELECT first, every, layout, times, samples FROM block WHERE last >= ? AND first <= ? ORDER BY first';
  for (const { first, every, layout, times, samples } of tables.database.rows(sql, from, to)) {
    const place = columnOf(tables, Number(layout), id);
    if (place === undefined || !(times instanceof Uint8Array) || !(samples instanceof Uint8Array)) continue;
    const offsets = new Uint32Array(times.slice().buffer);
    const column = new DataView(samples.buffer, samples.byteOffset + place * offsets.length * 2);
    for (const [index, offset] of offsets.entries()) {
      const at = Number(first) + offset;
      if (at >= from && at <= to) each(at, Number(every), unpack(column.getUint16(index * 2, true)));
    }
  }
}

function columnOf({ database, layouts }: HistoryTables, layout: number, id: number): number | undefined {
  let places = layouts.get(layout);
  if (places === undefined) {
    const text = String(database.rows('SELECT series FROM layout WHERE id = ?', layout)[0]?.series ?? '');
    places = new Map(text.split(' ').map((series, place) => [Number(series), place]));
    layouts.set(layout, places);
  }
  return places.get(id);
}

export function readSteps(tables: HistoryTables, series: string, from: number, to: number, each: EachStep): void {
  const id = findSeries(tables, series);
  if (id === null) return;
  const key = (time: number) => id * daysASeries + Math.floor(time / dayMs);
  const sql = 'SELECT key, data FROM day WHERE key BETWEEN ? AND ? ORDER BY key';
  for (const row of tables.database.rows(sql, key(from), key(to))) {
    if (!(row.data instanceof Uint8Array)) continue;
    const day = openDay(row.data);
    const begin = (Number(row.key) % daysASeries) * dayMs;
    for (let place = 0; place < stepsADay; place += 1) {
      const at = begin + place * stepMs;
      const step = at + stepMs <= from || at > to ? null : day.get(place);
      if (step !== null) each(at, step);
    }
  }
}

/** The busiest processes, some moments at a time: from the samples, or from the steps where the samples have been deleted. Parsed one block at a time: a day takes some 50 ms. */
export function* readBusyMoments({ database }: HistoryTables, from: number, to: number): Iterable<BusyMoment[]> {
  const sql = 'SELECT first, every, times, processes FROM block WHERE last >= ? AND first <= ?';
  let hasSamples = false;
  for (const { first, every, times, processes } of database.rows(sql, from, to)) {
    if (!(times instanceof Uint8Array)) continue;
    const rows: ProcessRows[] = JSON.parse(String(processes));
    const moments = [...new Uint32Array(times.slice().buffer)].flatMap((offset, index) => {
      const at = Number(first) + offset;
      return at < from || at > to ? [] : [{ busiest: parseRows(rows[index] ?? []), ms: Number(every) }];
    });
    hasSamples ||= moments.length > 0;
    yield moments;
  }
  if (hasSamples) return;
  const steps = database.rows(
    'SELECT processes FROM busy WHERE step BETWEEN ? AND ?',
    Math.floor(from / stepMs),
    Math.floor(to / stepMs),
  );
  for (const { processes } of steps) yield [{ busiest: fromRows(String(processes)), ms: stepMs }];
}

/** The latest `limit` events, oldest first: as many of each kind as there is room, so that frequent kinds do not displace rare ones. */
export function readEvents({ database }: HistoryTables, from: number, to: number, limit: number): HistoryEvent[] {
  const sql = 'SELECT id, at, text FROM event WHERE kind = ? AND at BETWEEN ? AND ? ORDER BY at DESC, id DESC LIMIT ?';
  const ranked = (kind: string) =>
    database
      .rows(sql, kind, from, to, limit)
      .map(({ id, at, text }, place) => ({ place, id: Number(id), at: Number(at), kind, text: String(text) }));
  return kindsIn(database)
    .flatMap(ranked)
    .sort((a, b) => a.place - b.place || b.at - a.at)
    .slice(0, limit)
    .sort((a, b) => a.at - b.at || a.id - b.id)
    .map(({ at, kind, text }) => ({ at, kind, text }));
}

/** DISTINCT would read the whole index. */
function kindsIn(database: HistoryTables['database'], after = ''): string[] {
  const kind = database.rows('SELECT min(kind) AS kind FROM event WHERE kind > ?', after)[0]?.kind;
  return typeof kind === 'string' ? [kind, ...kindsIn(database, kind)] : [];
}
