import { type Bus, BusError, type Dbus } from '@hostler/dbus/dbus.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { FailedUnits, ReadFailedUnits } from '../../failed-units.ts';
import { isManaged, systemdManager } from './systemd-bus.ts';

/** Cache time, ms: several agents share one query. */
const cacheMs = 5000;
const timeoutMs = 1000;
const mostUnits = 100;

/** Failed units of systemd, of the system and of the user. https://www.freedesktop.org/software/systemd/man/org.freedesktop.systemd1.html */
export function createFailedUnits({ dbus, clock }: { dbus: Dbus; clock: Pick<Clock, 'monotonic'> }): ReadFailedUnits {
  let last: { result: Promise<FailedUnits>; at: number } | null = null;
  return () => {
    if (last === null || clock.monotonic() - last.at >= cacheMs) last = { result: ask(dbus), at: clock.monotonic() };
    return last.result;
  };
}

async function ask({ system, session }: Dbus): Promise<FailedUnits> {
  const [ofSystem, ofUser] = await Promise.all([
    failedOn(system, 'the system', ''),
    failedOn(session, 'the user', ' (user)'),
  ]);
  const units = 'units' in ofSystem || 'units' in ofUser ? [] : null;
  return {
    units: units && [ofSystem, ofUser].flatMap((result) => ('units' in result ? result.units : [])).slice(0, mostUnits),
    reasons: [ofSystem, ofUser].flatMap((result) => ('reason' in result ? [result.reason] : [])),
  };
}

async function failedOn(on: Bus, whose: string, mark: string): Promise<{ units: string[] } | { reason: string }> {
  try {
    if (!(await isManaged(on, timeoutMs)))
      return { reason: `The failed units of ${whose} are unknown: systemd does not manage it` };
    const [units] = await on.call({
      ...systemdManager,
      member: 'ListUnitsFiltered',
      signature: 'as',
      body: [['failed']],
      timeoutMs,
    });
    return { units: parseUnits(units).map((name) => `${name}${mark}`) };
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return { reason: `The failed units of ${whose} are unknown: ${messageOf(error)}` };
  }
}

/** `a(ssssssouso)`, of which the first is the name. */
export function parseUnits(list: unknown): string[] {
  const names = (Array.isArray(list) ? list : []).map((unit: unknown) => (Array.isArray(unit) ? unit[0] : null));
  return names.filter((name) => typeof name === 'string').sort();
}
