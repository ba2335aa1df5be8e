import { vcp } from '@hostler/ddc/vcp.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import type { Clock } from '../../../lib/clock.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { findMonitors, type MonitorPlace, monitorOf } from './monitor-addresses.ts';
import {
  asOrdered,
  isChoice,
  type MonitorControls,
  type MonitorFeature,
  type MonitorState,
  rawValue,
  toControls,
  whyMute,
} from './monitor-controls.ts';
import { type MonitorAnswer, type MonitorQuestion, type MonitorValues, noAnswer } from './monitor-requests.ts';
import { openMonitorThread } from './monitor-thread.ts';

export type MonitorStates = ReadonlyMap<string, MonitorState>;

/** The monitors at cables, asked over DDC/CI. Nobody is asked but while somebody wants to know. */
export interface Monitors {
  /** Of those among these displays that are at a cable: what is known. Those never asked are waited for a little. */
  read(displays: readonly string[], waitMs: number): Promise<MonitorStates>;
  /** How they stand without asking any of them; left out: all there are, as the kernel calls them. */
  known(displays?: readonly string[]): MonitorStates;
  /** Rejects with why it cannot be; answers what the monitor says then. `value` is a percentage, or a number of MCCS for choices. */
  set(display: string, feature: MonitorFeature, value: number): Promise<MonitorControls>;
  /** Calls back when something is known that was not; returns the way to stop. */
  watch(changed: () => void): () => void;
}

type MonitorsHost = Pick<LinuxHost, 'files' | 'place' | 'clock' | 'startThread'>;

/** People turn knobs on monitors, and no monitor tells of it. */
const freshMs = 60_000;
/** One that has stopped answering, as some do while they show another input, is left alone for longer each time. */
const restMs = 300_000;
const longestRestMs = 3_600_000;
const mostDescriptions = 32;

interface Entry {
  state: MonitorState;
  values: MonitorValues | null;
  at: number;
  failures: number;
}

export function createMonitors({ files, place: locate, clock, startThread }: MonitorsHost): Monitors {
  const entries = new Map<string, Entry>();
  const descriptions = new Map<string, string>();
  const listeners = new Set<() => void>();
  /** Each waits for the one before: a bus takes one question at a time. */
  let lane: Promise<unknown> = Promise.resolve();
  let refreshing: Promise<void> | null = null;
  let missed = false;
  const look = unlessAbsent(clock, () => {
    const places = findMonitors(files);
    return places.length === 0 ? null : places;
  });

  const keyOf = ({ connector, edid }: MonitorPlace) => `${connector} ${Buffer.from(edid).toString('latin1')}`;
  const describedBy = ({ edid }: MonitorPlace) => Buffer.from(edid).toString('latin1');

  /** Those that are plugged in now; what is known of others is forgotten with them. */
  const places = (): readonly MonitorPlace[] => {
    const found = look() ?? [];
    const there = new Set(found.map(keyOf));
    for (const key of entries.keys()) if (!there.has(key)) entries.delete(key);
    return found;
  };

  /** What stands in the way without asking; null: nothing does. */
  const obstacle = ({ buses, isOff }: MonitorPlace): MonitorState | null => {
    const [first] = buses;
    if (first === undefined) return { kind: 'no-bus' };
    const reachable = buses.map((number) => `/dev/i2c-${number}`);
    const there = reachable.filter((file) => files.exists(file));
    if (there.length === 0) return { kind: 'absent', file: `/dev/i2c-${first}` };
    const [denied] = there;
    if (denied !== undefined && there.every((file) => files.denied(file))) return { kind: 'denied', file: denied };
    return isOff ? { kind: 'off' } : null;
  };

  const stateOf = (place: MonitorPlace): MonitorState => {
    const entry = entries.get(keyOf(place));
    if (entry?.state.kind === 'silent') return entry.state;
    return obstacle(place) ?? entry?.state ?? { kind: 'asking' };
  };

  const isDue = (place: MonitorPlace): boolean => {
    if (obstacle(place) !== null) return false;
    const entry = entries.get(keyOf(place));
    if (entry === undefined) return true;
    if (entry.state.kind === 'silent') return false;
    const restingMs = Math.min(restMs * 2 ** (entry.failures - 1), longestRestMs);
    return clock.monotonic() - entry.at >= (entry.state.kind === 'read' ? freshMs : restingMs);
  };

  const note = (place: MonitorPlace, answer: MonitorAnswer) => {
    const key = keyOf(place);
    const before = entries.get(key);
    const at = clock.monotonic();
    if (answer.kind === 'read') {
      if (answer.description !== null) remember(describedBy(place), answer.description);
      const { values } = answer;
      const description = descriptions.get(describedBy(place)) ?? '';
      entries.set(key, { state: { kind: 'read', controls: toControls(values, description) }, values, at, failures: 0 });
      return;
    }
    const failures = (before?.failures ?? 0) + 1;
    const isOver = (before?.values ?? null) === null;
    const state: MonitorState = answer.kind !== 'silent' ? answer : isOver ? { kind: 'silent' } : { kind: 'resting' };
    entries.set(key, { state, values: before?.values ?? null, at, failures });
  };

  const remember = (edid: string, description: string) => {
    const [oldest] = descriptions.keys();
    if (descriptions.size >= mostDescriptions && oldest !== undefined) descriptions.delete(oldest);
    descriptions.set(edid, description);
  };

  const questionFor = (place: MonitorPlace, order: MonitorQuestion['order']): MonitorQuestion => ({
    buses: place.buses.map((number) => ({ file: locate(`/dev/i2c-${number}`), number })),
    isSure: place.isSure,
    edid: place.edid,
    order,
    describe: !descriptions.has(describedBy(place)),
  });

  /** A thread for these questions, one after another; it ends with them. */
  const ask = (
    questions: readonly { place: MonitorPlace; order: MonitorQuestion['order'] }[],
  ): Promise<MonitorAnswer[]> => {
    const turn = lane.then(async () => {
      const answers: MonitorAnswer[] = [];
      const thread = openMonitorThread(startThread, clock);
      try {
        for (const { place, order } of questions) answers.push(await thread.ask(questionFor(place, order)));
      } finally {
        thread.end();
      }
      return answers;
    });
    lane = turn.catch(() => {});
    return turn;
  };

  const publish = (before: string, isNews: boolean) => {
    if (isNews && summary() !== before) for (const listener of listeners) listener();
  };
  const summary = () => JSON.stringify([...entries].map(([key, { state }]) => [key, state]));

  const refresh = async (due: readonly MonitorPlace[]) => {
    const before = summary();
    const isFirst = due.some((place) => !entries.has(keyOf(place)));
    missed = false;
    const answers = await ask(due.map((place) => ({ place, order: null })));
    for (const [index, place] of due.entries()) note(place, answers[index] ?? noAnswer);
    // Who asked first has waited for it.
    publish(before, !isFirst || missed);
  };

  const known = (displays?: readonly string[]): MonitorStates => {
    const found = places();
    const names = displays ?? found.map(({ connector }) => connector);
    return new Map(
      names.flatMap((display): [string, MonitorState][] => {
        const place = monitorOf(found, display);
        return place === null ? [] : [[display, stateOf(place)]];
      }),
    );
  };

  return {
    async read(displays, waitMs) {
      const found = places();
      const shown = new Set(displays.map((display) => monitorOf(found, display)));
      const due = found.filter((place) => shown.has(place) && isDue(place));
      if (due.length > 0) {
        const isUnknown = due.some((place) => !entries.has(keyOf(place)));
        refreshing ??= refresh(due)
          .catch(() => {
            for (const place of due) note(place, noAnswer);
          })
          .finally(() => {
            refreshing = null;
          });
        if (isUnknown && !(await within(clock, refreshing, waitMs))) missed = true;
      }
      return known(displays);
    },
    known,
    async set(display, feature, value) {
      const place = monitorOf(places(), display);
      if (place === null) throw new ServiceError('not_found', `${display} is not a monitor at a cable`);
      const state = stateOf(place);
      // One that is off may still be told to go on.
      const isAskable =
        ['read', 'asking', 'resting'].includes(state.kind) || (state.kind === 'off' && feature === 'power');
      if (!isAskable)
        throw new ServiceError(state.kind === 'denied' ? 'forbidden' : 'unsupported', whyMute(display, state));
      const before = summary();
      // How far it goes only the monitor knows.
      if (!isChoice(feature) && (entries.get(keyOf(place))?.values ?? null) === null)
        note(place, (await ask([{ place, order: null }]))[0] ?? noAnswer);
      const entry = entries.get(keyOf(place));
      const now = entry?.values?.[feature] ?? null;
      if (!isChoice(feature) && (now === null || now.max === 0)) {
        publish(before, true);
        const why =
          entry?.state.kind === 'read'
            ? `${display} has no ${feature} that can be set over DDC/CI`
            : whyMute(display, stateOf(place));
        throw new ServiceError('unsupported', why);
      }
      const raw = rawValue(feature, value, {
        max: now?.max ?? 0,
        description: descriptions.get(describedBy(place)) ?? '',
      });
      const [answer = noAnswer] = await ask([{ place, order: { feature: vcp[feature], value: raw } }]);
      if (feature === 'power' || (answer.kind === 'silent' && feature === 'input')) {
        // Off, or at another input, it need not answer over this cable any more.
        if (answer.kind !== 'read' && answer.kind !== 'silent')
          throw new ServiceError(
            'failed',
            `The ${feature} of ${display} could not be set: ${whyMute(display, answer)}`,
          );
        const changed = asOrdered(feature, raw, answer);
        if (entry?.state.kind === 'read')
          entries.set(keyOf(place), {
            ...entry,
            state: { kind: 'read', controls: { ...entry.state.controls, ...changed } },
          });
        publish(before, true);
        return { ...nothingKnown, ...changed };
      }
      note(place, answer);
      publish(before, true);
      const after = stateOf(place);
      if (after.kind !== 'read')
        throw new ServiceError('failed', `The ${feature} of ${display} could not be set: ${whyMute(display, after)}`);
      return after.controls;
    },
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
}

const nothingKnown: MonitorControls = { brightness: null, contrast: null, input: null, inputs: null, power: null };
/** false: it takes longer. */
function within(clock: Clock, work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    void work.finally(() => {
      cancel();
      resolve(true);
    });
  });
}
