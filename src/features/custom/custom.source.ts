import type { Source, SourceContext } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Host } from '../../host/host.ts';
import { codeOf, fullMessageOf, messageOf, PlaceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type CustomSensor, parseCustomValue } from './custom.parse.ts';
import { readCustomText } from './custom.reading.ts';
import type { Custom } from './custom.schema.ts';

/** How long a read waits for running sensors; later values arrive through `watch`. */
const readWaitMs = 1000;
const mostAtOnce = 4;
/** Timers with a shared tick may fire slightly early. */
const toleranceMs = 250;
const longestError = 300;
const longestLogged = 1000;

interface SensorState {
  /** The configuration as JSON; a changed one is treated as another sensor. */
  configured: string;
  value: unknown;
  atMs: number | null;
  error: string | null;
  /** The last error that was logged, so that it is logged once. */
  logged: string | null;
  /** Monotonic; null: never started. */
  begunAt: number | null;
  running: Promise<void> | null;
  stop: AbortController;
}

interface Configured {
  sensor: CustomSensor;
  state: SensorState;
}

/** Reads the sensors of the settings on demand, each at its own interval; one that hangs does not delay the others. */
export function createCustomSource(
  host: Host,
  { settings, log }: SourceContext,
  environment: () => Promise<Record<string, string>>,
): Source<Custom> {
  const known = new Map<string, SensorState>();
  let changed: (() => void) | null = null;
  let cancelNext = () => {};
  let closed = false;

  /** Starts the sensors that are due, within the limit, and returns the running reads. */
  function startDue(): Promise<void>[] {
    if (closed) return [];
    const pairs = applySettings();
    const free = mostAtOnce - pairs.filter(({ state }) => state.running !== null).length;
    // The one that has waited longest comes first.
    const due = pairs.filter(isDue).sort((a, b) => (a.state.begunAt ?? -1) - (b.state.begunAt ?? -1));
    for (const pair of due.slice(0, Math.max(0, free))) start(pair);
    scheduleNext(pairs);
    return pairs.flatMap(({ state }) => state.running ?? []);
  }

  /** The configured sensors with their states; aborts those that were removed or changed. */
  function applySettings(): Configured[] {
    const now = settings();
    const wanted = new Map(now.custom.sensors.map((sensor) => [sensor.id, configurationOf(sensor, now)]));
    for (const [id, { configured, stop }] of known) {
      if (wanted.get(id) === configured) continue;
      known.delete(id);
      stop.abort(new Error('The settings were changed'));
    }
    for (const [id, configured] of wanted) if (!known.has(id)) known.set(id, unread(configured));
    return now.custom.sensors.flatMap((sensor) => {
      const state = known.get(sensor.id);
      return state === undefined ? [] : [{ sensor, state }];
    });
  }

  function isDue({ sensor, state: { begunAt, running } }: Configured): boolean {
    if (running !== null) return false;
    return begunAt === null || host.clock.monotonic() - begunAt >= sensor.interval * 1000 - toleranceMs;
  }

  function start({ sensor, state }: Configured): void {
    state.begunAt = host.clock.monotonic();
    state.running = attempt(sensor, state).finally(() => {
      state.running = null;
      if (closed || known.get(sensor.id) !== state) return;
      changed?.();
      // Another sensor may have been held back by the limit.
      if (changed !== null) startDue();
    });
  }

  async function attempt(sensor: CustomSensor, state: SensorState): Promise<void> {
    try {
      const text = await readCustomText(host, sensor, settings(), environment, state.stop.signal);
      state.value = parseCustomValue(sensor, text);
      state.atMs = host.clock.now();
      state.error = null;
    } catch (error) {
      state.error = shownError(error).slice(0, longestError).toWellFormed();
      const full = fullMessageOf(error);
      if (full === shownError(error) || full === state.logged || state.stop.signal.aborted) return;
      state.logged = full;
      log.warn(`custom: ${sensor.id} cannot be read: ${full.slice(0, longestLogged).toWellFormed()}`);
    }
  }

  function scheduleNext(pairs: readonly Configured[]): void {
    const { clock } = host;
    cancelNext();
    if (changed === null) return;
    const waits = pairs.flatMap(({ sensor, state }) =>
      state.running !== null || state.begunAt === null
        ? []
        : Math.max(toleranceMs, state.begunAt + sensor.interval * 1000 - clock.monotonic()),
    );
    if (waits.length > 0) cancelNext = clock.after(Math.min(...waits), startDue);
  }

  /** Waits also for sensors that the limit held back. */
  async function waitFor(first: readonly Promise<void>[]): Promise<void> {
    const late = Promise.withResolvers<void>();
    let isLate = false;
    const cancel = host.clock.after(readWaitMs, () => {
      isLate = true;
      late.resolve();
    });
    for (let running = first; running.length > 0 && !isLate; running = startDue())
      await Promise.race([Promise.all(running), late.promise]);
    cancel();
  }

  return {
    read(reasons) {
      const running = startDue();
      if (running.length === 0) return toPayload(settings().custom.sensors, known, reasons);
      return waitFor(running).then(() => toPayload(settings().custom.sensors, known, reasons));
    },
    watch(onChange) {
      changed = onChange;
      startDue();
      return () => {
        changed = null;
        cancelNext();
      };
    },
    close() {
      closed = true;
      changed = null;
      cancelNext();
      for (const { stop } of known.values()) stop.abort(new Error('The sensor is no longer read'));
      known.clear();
    },
  };
}

const unread = (configured: string): SensorState => ({
  configured,
  value: null,
  atMs: null,
  error: null,
  logged: null,
  begunAt: null,
  running: null,
  stop: new AbortController(),
});

/** For clients: without the file path that a system error names. */
function shownError(error: unknown): string {
  const code = codeOf(error);
  return code === null || error instanceof PlaceError ? messageOf(error) : `It cannot be read (${code})`;
}

/** Includes the command: changing it under the same id changes the sensor. */
function configurationOf(sensor: CustomSensor, { commands }: Pick<Settings, 'commands'>): string {
  return JSON.stringify([
    sensor,
    sensor.file === '' ? commands.allowlist.find(({ id }) => id === sensor.command) : null,
  ]);
}

function toPayload(
  sensors: readonly CustomSensor[],
  known: ReadonlyMap<string, SensorState>,
  reasons: Reasons,
): Custom {
  const payload: Custom = {
    sensors: sensors.map(({ id, name, unit, parse }) => {
      const { value = null, atMs = null, error = null } = known.get(id) ?? {};
      return { id, name, unit, parse, value, at: atMs === null ? null : Math.round(atMs) / 1000, error };
    }),
  };
  explain(payload, reasons);
  return payload;
}

function explain({ sensors }: Custom, reasons: Reasons): void {
  if (sensors.length === 0)
    reasons.inherent('sensors', 'No sensor of your own is configured; add one to custom.sensors in the settings');
  for (const { name, error } of sensors) if (error !== null) reasons.missing('sensors', `${name}: ${error}`);
  if (sensors.some(({ error }) => error === null))
    reasons.inherent('sensors[].error', 'The latest attempt did not fail');
  if (sensors.some(({ value }) => value === null)) {
    const sentence = 'No attempt has succeeded yet';
    reasons.inherent('sensors[].value', sentence);
    reasons.inherent('sensors[].at', sentence);
  } else if (sensors.some(({ value }) => JSON.stringify(value).includes('null'))) {
    reasons.inherent('sensors[].value', 'The JSON value of a sensor is null');
  }
}
