import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../../lib/absence-cache.ts';
import { findMonitors, type MonitorPlace } from './monitor-addresses.ts';
import { type MonitorState, toControls } from './monitor-controls.ts';
import type { MonitorReply, MonitorValues } from './monitor-requests.ts';

/** No monitor announces that its own buttons were used, ms. */
const freshMs = 60_000;
/** The pause doubles for a monitor that has stopped answering, as some do while they show another input, ms. */
const restMs = 300_000;
const longestRestMs = 3_600_000;
const mostDescriptions = 32;

/** The last answers of the monitors that are plugged in. */
export interface MonitorTable {
  host: Pick<LinuxHost, 'files' | 'clock'>;
  entries: Map<string, Entry>;
  /** Capabilities by EDID. */
  descriptions: Map<string, string>;
  find(): MonitorPlace[] | null;
}

interface Entry {
  state: MonitorState;
  values: MonitorValues | null;
  at: number;
  failures: number;
}

export const createMonitorTable = (host: MonitorTable['host']): MonitorTable => ({
  host,
  entries: new Map(),
  descriptions: new Map(),
  find: unlessAbsent(host.clock, () => {
    const places = findMonitors(host.files);
    return places.length === 0 ? null : places;
  }),
});

const edidOf = ({ edid }: MonitorPlace) => Buffer.from(edid).toString('latin1');
const keyOf = (place: MonitorPlace) => `${place.connector} ${edidOf(place)}`;

export const entryOf = ({ entries }: MonitorTable, place: MonitorPlace) => entries.get(keyOf(place));
export const setEntry = ({ entries }: MonitorTable, place: MonitorPlace, entry: Entry) =>
  void entries.set(keyOf(place), entry);
export const descriptionOf = ({ descriptions }: MonitorTable, place: MonitorPlace) => descriptions.get(edidOf(place));

/** Changes when the state of a monitor does. */
export const summaryOf = ({ entries }: MonitorTable) =>
  JSON.stringify([...entries].map(([key, { state }]) => [key, state]));

/** The monitors that are plugged in now; the entries of others are deleted. */
export function placesIn({ entries, find }: MonitorTable): readonly MonitorPlace[] {
  const found = find() ?? [];
  const present = new Set(found.map(keyOf));
  for (const key of entries.keys()) if (!present.has(key)) entries.delete(key);
  return found;
}

export function stateOf(table: MonitorTable, place: MonitorPlace): MonitorState {
  const entry = entryOf(table, place);
  if (entry?.state.kind === 'silent') return entry.state;
  return obstacleOf(table, place) ?? entry?.state ?? { kind: 'asking' };
}

/** Why the monitor cannot be queried at all; null: it can. */
function obstacleOf({ host: { files } }: MonitorTable, { buses, isOff }: MonitorPlace): MonitorState | null {
  const [first] = buses;
  if (first === undefined) return { kind: 'no-bus' };
  const present = buses.map((number) => `/dev/i2c-${number}`).filter((file) => files.exists(file));
  const [denied] = present;
  if (denied === undefined) return { kind: 'absent', file: `/dev/i2c-${first}` };
  if (present.every((file) => files.denied(file))) return { kind: 'denied', file: denied };
  return isOff ? { kind: 'off' } : null;
}

/** Whether its values are unknown or outdated. */
export function isMonitorDue(table: MonitorTable, place: MonitorPlace): boolean {
  if (obstacleOf(table, place) !== null) return false;
  const entry = entryOf(table, place);
  if (entry === undefined) return true;
  if (entry.state.kind === 'silent') return false;
  const restingMs = Math.min(restMs * 2 ** (entry.failures - 1), longestRestMs);
  return table.host.clock.monotonic() - entry.at >= (entry.state.kind === 'read' ? freshMs : restingMs);
}

export function noteReply(table: MonitorTable, place: MonitorPlace, reply: MonitorReply): void {
  const before = entryOf(table, place);
  const at = table.host.clock.monotonic();
  if (reply.kind === 'read') {
    const { values, description } = reply;
    if (description !== null) noteDescription(table, place, description);
    const controls = toControls(values, descriptionOf(table, place) ?? '');
    return setEntry(table, place, { state: { kind: 'read', controls }, values, at, failures: 0 });
  }
  const values = before?.values ?? null;
  const unanswered: MonitorState = { kind: values === null ? 'silent' : 'resting' };
  const state = reply.kind === 'silent' ? unanswered : reply;
  setEntry(table, place, { state, values, at, failures: (before?.failures ?? 0) + 1 });
}

function noteDescription({ descriptions }: MonitorTable, place: MonitorPlace, description: string): void {
  const [oldest] = descriptions.keys();
  if (descriptions.size >= mostDescriptions && oldest !== undefined) descriptions.delete(oldest);
  descriptions.set(edidOf(place), description);
}
