import type { BusyProcess, HistoryEvent } from '../core/readings/history.ts';
import type { SampleBlock } from './block.ts';
import { baseOf } from './series-catalogue.ts';

/** Where samples go. */
export interface SampleSink {
  /** Begins a sample; later values belong to it. Values before the first sample are dropped. */
  begin(at: number): void;
  set(series: string, value: number | null): void;
  processes(busiest: readonly BusyProcess[]): void;
  event(event: HistoryEvent): void;
}

/** Samples since the last written block. */
export interface SampleBuffer extends SampleSink {
  isEmpty(): boolean;
  samples(): number;
  /** A snapshot for a request. */
  peek(every: number): SampleBlock;
  /** Returns the content and empties the buffer. */
  take(every: number): SampleBlock;
}

/** Limits events, so that frequent changes do not fill the disk. Of each kind: another user causes some, such as mounts. */
const mostOfKind = 50;
const maxEventLength = 300;
/** Devices of a series in one block, and the length of a name: another user may choose them, such as the places of mounts. */
const mostDevices = 512;
const longestName = 200;

export function createBuffer(): SampleBuffer {
  let at: number[] = [];
  let columns = new Map<string, (number | null)[]>();
  let devices = new Map<string, number>();
  let busiest: BusyProcess[][] = [];
  let events: HistoryEvent[] = [];
  let kinds = new Map<string, number>();
  let leftOut = 0;

  const peek = (every: number): SampleBlock => {
    const series: SampleBlock['series'] = {};
    for (const [name, column] of columns) {
      while (column.length < at.length) column.push(null);
      series[name] = column;
    }
    const last = events.at(-1);
    const more = { at: last?.at ?? 0, kind: 'more', text: `${leftOut} more events in these minutes were left out` };
    return {
      id: Math.floor(Math.random() * 2 ** 52),
      every,
      at,
      series,
      processes: busiest,
      events: leftOut === 0 ? events : [...events, more],
    };
  };

  return {
    begin(now) {
      at.push(now);
      busiest.push([]);
    },
    set(name, value) {
      if (at.length === 0) return;
      let column = columns.get(name);
      if (column === undefined) {
        const base = baseOf(name);
        const known = devices.get(base) ?? 0;
        if (known >= mostDevices || name.length > longestName) return;
        devices.set(base, known + 1);
        column = [];
        columns.set(name, column);
      }
      const place = at.length - 1;
      while (column.length < place) column.push(null);
      column[place] = value;
    },
    processes(found) {
      if (at.length > 0) busiest[at.length - 1] = [...found];
    },
    event(event) {
      // Another user chooses some of these texts, such as the place of a mount.
      const ofKind = kinds.get(event.kind) ?? 0;
      kinds.set(event.kind, ofKind + 1);
      if (ofKind < mostOfKind) events.push({ ...event, text: event.text.slice(0, maxEventLength) });
      else leftOut += 1;
    },
    isEmpty: () => at.length === 0 && events.length === 0,
    samples: () => at.length,
    peek,
    take(every) {
      const block = peek(every);
      at = [];
      columns = new Map();
      devices = new Map();
      busiest = [];
      events = [];
      kinds = new Map();
      leftOut = 0;
      return block;
    },
  };
}
