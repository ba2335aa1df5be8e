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

interface CustomState extends Pick<SourceContext, 'settings' | 'log'> {
  host: Host;
  environment(): Promise<Record<string, string>>;
  known: Map<string, SensorState>;
  changed: (() => void) | null;
  cancelNext(): void;
  closed: boolean;
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
  const source: CustomState = {
    host,
    settings,
    log,
    environment,
    known,
    changed: null,
    cancelNext: () => {},
    closed: false,
  };
  return {
    read(reasons) {
      const running = startDue(source);
      if (running.length === 0) return toPayload(settings().custom.sensors, known, reasons);
      return waitFor(source, running).then(() => toPayload(settings().custom.sensors, known, reasons));
    },
    watch(onChange) {
      source.changed = onChange;
      startDue(source);
      return () => {
        source.changed = null;
        source.cancelNext();
      };
    },
    close() {
      source.closed = true;
      source.changed = null;
      source.cancelNext();
      for (const { stop } of known.values()) stop.abort(new Error('The sensor is no longer read'));
      known.clear();
    },
  };
}

/** Starts the sensors that are due, within the limit, and returns the running reads. */
function startDue(source: CustomState): Promise<void>[] {
  if (source.closed) return [];
  const pairs = applySettings(source);
  const free = mostAtOnce - pairs.filter(({ state }) => state.running !== null).length;
  // The one that has waited longest comes first.
  const due = pairs
    .filter((pair) => isDue(source, pair))
    .sort((a, b) => (a.state.begunAt ?? -1) - (b.state.begunAt ?? -1));
  for (const pair of due.slice(0, Math.max(0, free))) start(source, pair);
  scheduleNext(source, pairs);
  return pairs.flatMap(({ state }) => state.running ?? []);
}

/** The configured sensors with their states; aborts those that were removed or changed. */
function applySettings({ settings, known }: CustomState): Configured[] {
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

function isDue({ host }: CustomState, { sensor, state: { begunAt, running } }: Configured): boolean {
  if (running !== null) return false;
  return begunAt === null || host.clock.monotonic() - begunAt >= sensor.interval * 1000 - toleranceMs;
}

function start(source: CustomState, { sensor, state }: Configured): void {
  state.begunAt = source.host.clock.monotonic();
  state.running = attempt(source, sensor, state).finally(() => {
    state.running = null;
    if (source.closed || source.known.get(sensor.id) !== state) return;
    source.changed?.();
    // Another sensor may have been held back by the limit.
    if (source.changed !== null) startDue(source);
  });
}

async function attempt(
  { host, settings, environment, log }: CustomState,
  sensor: CustomSensor,
  state: SensorState,
): Promise<void> {
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

function scheduleNext(source: CustomState, pairs: readonly Configured[]): void {
  const { clock } = source.host;
  source.cancelNext();
  if (source.changed === null) return;
  const waits = pairs.flatMap(({ sensor, state }) =>
    state.running !== null || state.begunAt === null
      ? []
      : Math.max(toleranceMs, state.begunAt + sensor.interval * 1000 - clock.monotonic()),
  );
  if (waits.length > 0) source.cancelNext = clock.after(Math.min(...waits), () => startDue(source));
}

/** Waits also for sensors that the limit held back. */
async function waitFor(source: CustomState, first: readonly Promise<void>[]): Promise<void> {
  const late = Promise.withResolvers<void>();
  let isLate = false;
  const cancel = source.host.clock.after(readWaitMs, () => {
    isLate = true;
    late.resolve();
  });
  for (let running = first; running.length > 0 && !isLate; running = startDue(source))
    await Promise.race([Promise.all(running), late.promise]);
  cancel();
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
