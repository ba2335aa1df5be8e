import type { Source, SourceContext } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Host } from '../../host/host.ts';
import { codeOf, fullMessageOf, messageOf, PlaceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { type CustomSensor, parseCustomValue } from './custom.parse.ts';
import { readCustomText } from './custom.reading.ts';
import type { Custom } from './custom.schema.ts';

/** A reading waits this long for its sensors; what comes later is told when it comes. */
const patienceMs = 1000;
const mostAtOnce = 4;
/** Timers fall on shared moments, and may be somewhat early. */
const toleranceMs = 250;
const longestError = 300;
const longestLogged = 1000;

interface Known {
  /** What it was configured as; another one is another sensor. */
  configured: string;
  value: unknown;
  atMs: number | null;
  error: string | null;
  /** The place that the log was told is wrong: once is enough. */
  logged: string | null;
  /** Monotonic; null: never. */
  begunAt: number | null;
  running: Promise<void> | null;
  stop: AbortController;
}

/** Reads sensors of the settings when somebody asks or listens, each at its own pace: one that hangs costs only itself. */
export function createCustomSource(
  host: Host,
  { settings, log }: SourceContext,
  environment: () => Promise<Record<string, string>>,
): Source<Custom> {
  const { clock } = host;
  const known = new Map<string, Known>();
  let changed: (() => void) | null = null;
  let cancelNext = () => {};
  let closed = false;

  const follow = (): readonly CustomSensor[] => {
    const now = settings();
    const { sensors } = now.custom;
    const wanted = new Map(sensors.map((sensor) => [sensor.id, configurationOf(sensor, now)]));
    for (const [id, { configured, stop }] of known) {
      if (wanted.get(id) === configured) continue;
      known.delete(id);
      stop.abort(new Error('The settings were changed'));
    }
    for (const [id, configured] of wanted) if (!known.has(id)) known.set(id, unread(configured));
    return sensors;
  };

  const isDue = ({ interval }: CustomSensor, { begunAt, running }: Known) =>
    running === null && (begunAt === null || clock.monotonic() - begunAt >= interval * 1000 - toleranceMs);

  const begin = (sensor: CustomSensor, state: Known) => {
    state.begunAt = clock.monotonic();
    state.running = attempt(sensor, state).finally(() => {
      state.running = null;
      if (closed || known.get(sensor.id) !== state) return;
      changed?.();
      // Somebody may have waited for this place.
      if (changed !== null) beginDue();
    });
  };

  const attempt = async (sensor: CustomSensor, state: Known): Promise<void> => {
    try {
      const text = await readCustomText(host, sensor, settings(), environment, state.stop.signal);
      state.value = parseCustomValue(sensor, text);
      state.atMs = clock.now();
      state.error = null;
    } catch (error) {
      state.error = shownError(error).slice(0, longestError).toWellFormed();
      const full = fullMessageOf(error);
      if (full === shownError(error) || full === state.logged || state.stop.signal.aborted) return;
      state.logged = full;
      log.warn(`custom: ${sensor.id} cannot be read: ${full.slice(0, longestLogged).toWellFormed()}`);
    }
  };

  /** Begins what is due, as far as there is room, and gives what runs. */
  const beginDue = (): Promise<void>[] => {
    if (closed) return [];
    const pairs = follow().flatMap((sensor) => {
      const state = known.get(sensor.id);
      return state === undefined ? [] : [{ sensor, state }];
    });
    let free = mostAtOnce - pairs.filter(({ state }) => state.running !== null).length;
    // Who has waited longest comes first.
    const due = pairs
      .filter(({ sensor, state }) => isDue(sensor, state))
      .sort((a, b) => (a.state.begunAt ?? -1) - (b.state.begunAt ?? -1));
    for (const { sensor, state } of due) {
      if (free <= 0) break;
      free -= 1;
      begin(sensor, state);
    }
    schedule(pairs);
    return pairs.flatMap(({ state }) => state.running ?? []);
  };

  const schedule = (pairs: readonly { sensor: CustomSensor; state: Known }[]) => {
    cancelNext();
    if (changed === null) return;
    const waits = pairs.flatMap(({ sensor, state }) =>
      state.running !== null || state.begunAt === null
        ? []
        : Math.max(toleranceMs, state.begunAt + sensor.interval * 1000 - clock.monotonic()),
    );
    if (waits.length > 0) cancelNext = clock.after(Math.min(...waits), beginDue);
  };

  return {
    read(reasons) {
      const running = beginDue();
      if (running.length === 0) return toPayload(settings().custom.sensors, known, reasons);
      return waitFor(running).then(() => toPayload(settings().custom.sensors, known, reasons));
    },
    watch(onChange) {
      changed = onChange;
      beginDue();
      return () => {
        changed = null;
        cancelNext();
      };
    },
    close() {
      closed = true;
      changed = null;
      cancelNext();
      for (const { stop } of known.values()) stop.abort(new Error('Nobody reads it any more'));
      known.clear();
    },
  };

  /** Also for those that had to wait for their turn. */
  async function waitFor(first: readonly Promise<void>[]): Promise<void> {
    let isEnough = false;
    let cancel = () => {};
    const enough = new Promise<void>((resolve) => {
      cancel = clock.after(patienceMs, () => {
        isEnough = true;
        resolve();
      });
    });
    for (let running = first; running.length > 0 && !isEnough; running = beginDue())
      await Promise.race([Promise.all(running), enough]);
    cancel();
  }
}

const unread = (configured: string): Known => ({
  configured,
  value: null,
  atMs: null,
  error: null,
  logged: null,
  begunAt: null,
  running: null,
  stop: new AbortController(),
});

/** For everybody who may read: what the system says of a failed call names the file. */
function shownError(error: unknown): string {
  const code = codeOf(error);
  return code === null || error instanceof PlaceError ? messageOf(error) : `It cannot be read (${code})`;
}

/** With the command itself: another program under the same id gives another value. */
function configurationOf(sensor: CustomSensor, { commands }: Pick<Settings, 'commands'>): string {
  return JSON.stringify([
    sensor,
    sensor.file === '' ? commands.allowlist.find(({ id }) => id === sensor.command) : null,
  ]);
}

function toPayload(sensors: readonly CustomSensor[], known: ReadonlyMap<string, Known>, reasons: Reasons): Custom {
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
    reasons.inherent('sensors[].value', 'The JSON of a sensor says null');
  }
}
