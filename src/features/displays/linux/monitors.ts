import { vcp } from '@hostler/ddc/vcp.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { settledWithin } from '../../../lib/clock.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { createSequence } from '../../../lib/later.ts';
import { createListeners } from '../../../lib/listeners.ts';
import { createThreadCalls } from '../../../lib/thread-calls.ts';
import { type MonitorPlace, monitorOf } from './monitor-addresses.ts';
import {
  controlsAfter,
  isAskable,
  isChoice,
  type MonitorControls,
  type MonitorFeature,
  type MonitorState,
  rawValue,
  whyNoReply,
} from './monitor-controls.ts';
import { type MonitorReply, type MonitorRequest, noReply } from './monitor-requests.ts';
import {
  createMonitorTable,
  descriptionOf,
  entryOf,
  isMonitorDue,
  type MonitorTable,
  noteReply,
  placesIn,
  setEntry,
  stateOf,
  summaryOf,
} from './monitor-table.ts';

type MonitorStates = ReadonlyMap<string, MonitorState>;

/** Longer than three attempts of all queries take: then the kernel itself hangs. */
const silentMs = 45_000;

/** External monitors, queried over DDC/CI. They are queried only for a read or a change. */
export type Monitors = ReturnType<typeof createMonitors>;

type MonitorsHost = Pick<LinuxHost, 'files' | 'place' | 'clock' | 'startThread'>;

export function createMonitors(host: MonitorsHost) {
  const table = createMonitorTable(host);
  const listeners = createListeners();
  /** Queries are serialised, since a bus serves one at a time. */
  const inTurn = createSequence();
  let refreshing: Promise<void> | null = null;
  /** A reader did not wait for the first replies. */
  let missed = false;

  const requestFor = (place: MonitorPlace, order: MonitorRequest['order']): MonitorRequest => ({
    buses: place.buses.map((number) => ({ file: host.place(`/dev/i2c-${number}`), number })),
    isSure: place.isSure,
    edid: place.edid,
    order,
    describe: descriptionOf(table, place) === undefined,
  });

  async function readDue(displays: readonly string[], waitMs: number): Promise<void> {
    const found = placesIn(table);
    const shown = new Set(displays.map((display) => monitorOf(found, display)));
    const due = found.filter((place) => shown.has(place) && isMonitorDue(table, place));
    if (due.length === 0) return;
    const isUnknown = due.some((place) => entryOf(table, place) === undefined);
    refreshing ??= refresh(due)
      .catch(() => {
        for (const place of due) noteReply(table, place, noReply);
      })
      .finally(() => {
        refreshing = null;
      });
    if (isUnknown && !(await settledWithin(host.clock, refreshing, waitMs))) missed = true;
  }

  async function refresh(due: readonly MonitorPlace[]): Promise<void> {
    const before = summaryOf(table);
    const isFirst = due.some((place) => entryOf(table, place) === undefined);
    missed = false;
    const replies = await ask(due.map((place) => ({ place, order: null })));
    for (const [index, place] of due.entries()) noteReply(table, place, replies[index] ?? noReply);
    // The reader of the first replies has waited for them.
    if (!isFirst || missed) publish(before);
  }

  function publish(before: string): void {
    if (summaryOf(table) !== before) listeners.announce();
  }

  /** The thread ends with these queries. */
  function ask(requests: readonly { place: MonitorPlace; order: MonitorRequest['order'] }[]): Promise<MonitorReply[]> {
    return inTurn(async () => {
      const replies: MonitorReply[] = [];
      const thread = createThreadCalls(host.startThread, host.clock, { job: 'displays.monitors' });
      try {
        for (const { place, order } of requests) {
          const reply = thread.ask(requestFor(place, order));
          if (!(await settledWithin(host.clock, reply, silentMs))) break;
          replies.push((await reply) as MonitorReply);
        }
      } catch (error) {
        replies.push({ kind: 'silent', problem: messageOf(error) });
      }
      thread.end('the monitors were queried');
      return requests.map((_request, at) => replies[at] ?? noReply);
    });
  }

  async function setFeature(display: string, feature: MonitorFeature, value: number) {
    const place = monitorOf(placesIn(table), display);
    if (place === null) throw new ServiceError('not_found', `${display} is not an external monitor`);
    const state = stateOf(table, place);
    // A monitor that is off can still be switched on.
    if (!isAskable(state) && !(state.kind === 'off' && feature === 'power'))
      throw new ServiceError(state.kind === 'denied' ? 'forbidden' : 'unsupported', whyNoReply(display, state));
    const before = summaryOf(table);
    try {
      const max = isChoice(feature) ? 0 : await maximumOf(place, { display, feature });
      const raw = rawValue(feature, value, { max, description: descriptionOf(table, place) ?? '' });
      const [reply = noReply] = await ask([{ place, order: { feature: vcp[feature], value: raw } }]);
      // Once off, or at another input, it may not answer over this cable.
      if (feature === 'power' || (reply.kind === 'silent' && feature === 'input')) {
        if (reply.kind !== 'read' && reply.kind !== 'silent') throw notSet(display, feature, reply);
        return noteChange(table, place, controlsAfter(feature, raw, reply));
      }
      noteReply(table, place, reply);
      const after = stateOf(table, place);
      if (after.kind !== 'read') throw notSet(display, feature, after);
      return after.controls;
    } finally {
      publish(before);
    }
  }

  /** Only the monitor knows the largest value of a feature. */
  async function maximumOf(
    place: MonitorPlace,
    { display, feature }: { display: string; feature: MonitorFeature },
  ): Promise<number> {
    if ((entryOf(table, place)?.values ?? null) === null)
      noteReply(table, place, (await ask([{ place, order: null }]))[0] ?? noReply);
    const entry = entryOf(table, place);
    const max = entry?.values?.[feature]?.max ?? 0;
    if (max > 0) return max;
    const why =
      entry?.state.kind === 'read'
        ? `${display} has no ${feature} that can be set over DDC/CI`
        : whyNoReply(display, stateOf(table, place));
    throw new ServiceError('unsupported', why);
  }

  return {
    /** The states of those of these displays that are external monitors. Waits up to `waitMs` for monitors never queried before. */
    async read(displays: readonly string[], waitMs: number): Promise<MonitorStates> {
      await readDue(displays, waitMs);
      return knownStates(table, displays);
    },
    /** The states without a query; `displays` omitted: all external monitors, by their connectors. */
    known: (displays?: readonly string[]) => knownStates(table, displays),
    /** Returns what the monitor reports afterwards. `value` is a percentage, or a number of MCCS for choices. */
    set: setFeature,
    /** Calls back when a state has changed; returns a function that stops. */
    watch: listeners.add,
  };
}

function knownStates(table: MonitorTable, displays?: readonly string[]): MonitorStates {
  const found = placesIn(table);
  const names = displays ?? found.map(({ connector }) => connector);
  return new Map(
    names.flatMap((display): [string, MonitorState][] => {
      const place = monitorOf(found, display);
      return place === null ? [] : [[display, stateOf(table, place)]];
    }),
  );
}

const notSet = (display: string, feature: MonitorFeature, state: MonitorState) =>
  new ServiceError('failed', `The ${feature} of ${display} could not be set: ${whyNoReply(display, state)}`);

function noteChange(table: MonitorTable, place: MonitorPlace, changed: Partial<MonitorControls>): MonitorControls {
  const entry = entryOf(table, place);
  if (entry?.state.kind === 'read')
    setEntry(table, place, { ...entry, state: { kind: 'read', controls: { ...entry.state.controls, ...changed } } });
  return { ...nothingKnown, ...changed };
}

const nothingKnown: MonitorControls = { brightness: null, contrast: null, input: null, inputs: null, power: null };
