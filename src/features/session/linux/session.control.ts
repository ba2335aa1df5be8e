import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { type BusPlace, getProperty, hasOwner, setProperty } from '../../../host/linux/dbus/bus-properties.ts';
import { doNotDisturb } from '../../../host/linux/desktop/do-not-disturb.ts';
import type { Fact } from '../../../host/linux/desktop/found-value.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sleep } from '../../../lib/clock.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { SessionSwitchControl } from '../session.contract.ts';
import { writeDconf } from './dconf.ts';
import { silenceNotifications, whyNoSilence } from './do-not-disturb.control.ts';
import { heldInhibitions } from './inhibitions.ts';
import { gnomeColor, nightLight, plasmaLights } from './night-light.ts';

const confirmWithinMs = 2000;
const pollEveryMs = 50;

export const doNotDisturbLinux = (host: LinuxHost): SessionSwitchControl => ({
  unavailable: () => reasonOf(whyNoSilence(host.dbus.session)),
  set: (on) =>
    switchAndConfirm(host, on, silenceNotifications(host.dbus.session, on), doNotDisturb(host.dbus.session).read),
});

export const nightLightLinux = (host: LinuxHost): SessionSwitchControl => ({
  unavailable: () => reasonOf(whyNoNightLight(host.dbus.session)),
  set: (on) => switchAndConfirm(host, on, switchNightLight(host.dbus.session, on), nightLight(host.dbus.session).read),
});

const unanswered = (error: unknown) => `The desktop did not answer: ${shownText(messageOf(error), 200)}`;

const reasonOf = (reason: Promise<string | null>): Promise<string | null> => reason.catch(unanswered);

async function switchAndConfirm(
  { clock }: LinuxHost,
  on: boolean,
  switching: Promise<string>,
  read: () => Promise<Fact<boolean>>,
): Promise<{ by: string; confirmed: boolean }> {
  let by: string;
  try {
    by = await switching;
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', unanswered(cause), { cause });
  }
  const started = clock.monotonic();
  for (;;) {
    const seen = await read().catch(() => null);
    // A program that does not report the state will not report it later either.
    if (seen === null || !('value' in seen)) return { by, confirmed: false };
    if (seen.value === on) return { by, confirmed: true };
    if (clock.monotonic() - started > confirmWithinMs) return { by, confirmed: false };
    await sleep(clock, pollEveryMs);
  }
}

const timeoutMs = 2000;
const held = 'night-light';

const noLight =
  'Neither GNOME nor Plasma is running; programs such as gammastep and wlsunset have no switch for other programs';

type Light = { kind: 'gnome' } | { kind: 'plasma'; place: BusPlace };

async function findLight(session: Bus): Promise<Light | null> {
  const isThere = (name: string) => hasOwner(session, name).catch(() => false);
  if (await isThere(gnomeColor.destination)) return { kind: 'gnome' };
  for (const place of plasmaLights) if (await isThere(place.destination)) return { kind: 'plasma', place };
  return null;
}

/** Why the night light cannot be switched; null: it can. */
async function whyNoNightLight(session: Bus): Promise<string | null> {
  return (await findLight(session)) === null ? noLight : null;
}

/** Returns the name of the desktop. Warmer colours may come later, since both desktops follow the sun. */
async function switchNightLight(session: Bus, on: boolean): Promise<string> {
  const light = await findLight(session);
  if (light === null) throw new ServiceError('unsupported', noLight);
  if (light.kind === 'plasma') {
    await switchPlasma(session, light.place, on);
    return 'Plasma';
  }
  await writeDconf(session, '/org/gnome/settings-daemon/plugins/color/night-light-enabled', on);
  if (on) await undoPause(session);
  return 'GNOME';
}

/** GNOME's own button pauses the night light until tomorrow. */
async function undoPause(session: Bus): Promise<void> {
  await setProperty(session, gnomeColor, 'DisabledUntilTomorrow', variant('b', false), timeoutMs).catch(() => {});
}

/** Other programs can inhibit Plasma's night light while they are connected; they cannot change its settings. */
async function switchPlasma(session: Bus, place: BusPlace, on: boolean): Promise<void> {
  const holds = heldInhibitions(session);
  const cookie = holds.cookie(held);
  if (!on) {
    if (cookie !== undefined) return;
    const [given] = await session.call({ ...place, member: 'inhibit', timeoutMs });
    await holds.hold(held, Number(given), place.destination);
    return;
  }
  // Also while it is disabled: a remaining inhibition would have an effect once the user enables it.
  if (cookie !== undefined) {
    holds.drop(held);
    await session.call({ ...place, member: 'uninhibit', signature: 'u', body: [cookie], timeoutMs });
  }
  if ((await getProperty(session, place, 'enabled', timeoutMs)) !== true)
    throw new ServiceError(
      'unsupported',
      'The night light is disabled in Plasma; enable it in System Settings, Night Light, so that it can be switched',
    );
}
