import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import { doNotDisturb } from '../../host/linux/desktop/do-not-disturb.ts';
import { type Fact, inherently, mendably } from '../../host/linux/desktop/found-value.ts';
import { isSystemBattery, powerSuppliesLater } from '../../host/linux/hardware/power-supply.ts';
import { startUpower } from '../../host/linux/hardware/upower.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createStops } from '../../lib/closing.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import { keepAwakeOf } from './keep-awake.ts';
import { nightLight } from './linux/night-light.ts';
import { powerProfile } from './linux/power-profiles.ts';
import { type Seated, type SeatedSession, seatedSession } from './linux/seated-session.ts';
import { createSessionDisplay, type DisplayFacts } from './linux/session.desktop.ts';
import { machinePower } from './linux/upower-machine.ts';
import type { UserSession } from './session.schema.ts';

/** logind knows the user, the display server the activity, the daemons of the desktop the rest. Each announces its own changes. */
export const sessionLinux: CreateSource<UserSession, LinuxHost> = (host, { settings, withheld = false }) => {
  const { dbus, files, environment } = host;
  const display = createSessionDisplay(host, () => ({ withheld, idleAfterMs: settings().session.idleAfter * 1000 }));
  const login = seatedSession(dbus.system, environment.uid);
  const power = machinePower(dbus.system, files, host.clock);
  const profile = powerProfile(dbus.system);
  const silence = doNotDisturb(dbus.session);
  const light = nightLight(dbus.session);
  /** A desktop that has set the hint once sets it every time. */
  let hasBeenLocked = false;

  return {
    async read(reasons) {
      const [found, seated] = await Promise.all([display.find(), known(login.read)]);
      const [facts, supply, ...rest] = await Promise.all([
        display.read(found),
        known(power.read),
        flat(profile.read),
        flat(silence.read),
        flat(light.read),
      ]);
      const [profiles, silent, warm] = rest;
      const session = 'value' in seated ? seated.value : null;
      const isSeated = session !== null && session !== 'empty';
      hasBeenLocked ||= isSeated && session.locked;
      const type = typeOf(session, found);
      const desktop = desktopOf(session, found);
      const idle = idleOf(facts.idle, isSeated ? session : null, { type, desktop });
      // On a server, a missing desktop is not a problem to fix.
      const isDesktop = type === 'x11' || type === 'wayland';
      const say = <T>(field: string, fact: Fact<T>): T | null =>
        valueOrReason(reasons, field, 'why' in fact && !isDesktop ? inherently(fact.why) : fact);
      const away = say('idle', idle);
      if (away === null) say('idle_since', idle);
      if (away === false) reasons.inherent('idle_since', 'The session is in use');
      return {
        user: say('user', userOf(seated, found, environment)),
        seat: say('seat', seatOf(seated)),
        type,
        desktop: say('desktop', desktop === null ? inherently(noDesktopOf(type)) : { value: desktop }),
        idle: away === null ? null : away !== false,
        idle_since: away === null || away === false ? null : Math.floor(away.since / 1000),
        locked: say('locked', lockedOf(isSeated ? session : null, { type, desktop, hasBeenLocked })),
        active_window: windowOf(facts.window, reasons),
        do_not_disturb: say('do_not_disturb', silent),
        night_light: say('night_light', warm),
        power_profile: say('power_profile', 'why' in profiles ? profiles : { value: profiles.value.active }),
        power_profiles: 'why' in profiles ? [] : [...profiles.value.choices],
        keep_awake: [...keepAwakeOf(host).current()],
        lid_closed: say('lid_closed', 'value' in supply ? supply.value.lidClosed : supply),
        on_battery: say('on_battery', 'value' in supply ? supply.value.onBattery : supply),
        virtual_desktop: desktopInFront(facts.desktop, reasons),
      };
    },
    watch(changed) {
      void powerSuppliesLater(files).then((supplies) => {
        if (supplies.some(isSystemBattery)) startUpower(dbus.system);
      });
      const watched = [display, login, power, profile, silence, light].map((part) => part.watch(changed));
      return createStops(keepAwakeOf(host).onChange(changed), ...watched).end;
    },
    close: display.close,
  };
};

/** A failed read affects its own fields only. */
async function known<T>(read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    return mendably(`It could not be read: ${messageOf(error)}`);
  }
}

async function flat<T>(read: () => Promise<Fact<T>>): Promise<Fact<T>> {
  const found = await known(read);
  return 'value' in found ? found.value : found;
}

function valueOrReason<T>(reasons: Reasons, field: string, fact: Fact<T>): T | null {
  if ('value' in fact) return fact.value;
  if (fact.mendable) reasons.missing(field, fact.why);
  else reasons.inherent(field, fact.why);
  return null;
}

function typeOf(session: Seated, { wayland, x11 }: FoundSession): UserSession['type'] {
  // logind lists a compositor started from a terminal as a text session.
  if (wayland !== null) return 'wayland';
  if (x11 !== null) return 'x11';
  if (session === null || session === 'empty') return 'none';
  if (session.type === 'mir') return 'wayland';
  const kinds: readonly UserSession['type'][] = ['x11', 'wayland', 'tty'];
  return kinds.find((kind) => kind === session.type) ?? 'none';
}

function desktopOf(session: Seated, { variables }: FoundSession): string | null {
  const [named = ''] = (variables.XDG_CURRENT_DESKTOP ?? '').split(':').slice(-1);
  const text = named || (session !== null && session !== 'empty' ? session.desktop : '');
  return text === '' ? null : shownText(text, 64);
}

const noDesktopOf = (type: UserSession['type']): string =>
  type === 'x11' || type === 'wayland'
    ? 'The desktop does not report its name (XDG_CURRENT_DESKTOP is not set)'
    : 'No desktop is running';

const noLogind = mendably('logind is not running; install systemd-logind or elogind');

function userOf(
  seated: Fact<Seated>,
  { wayland, x11 }: FoundSession,
  environment: Pick<LinuxHost['environment'], 'userName'>,
): Fact<string> {
  if ('why' in seated) return seated;
  if (seated.value !== null && seated.value !== 'empty') return { value: seated.value.user };
  // The display accepted the connection, so it belongs to this user.
  if (wayland !== null || x11 !== null) return { value: environment.userName };
  return seated.value === null ? noLogind : inherently('No user is logged in');
}

function seatOf(seated: Fact<Seated>): Fact<string> {
  if ('why' in seated) return seated;
  if (seated.value === null) return noLogind;
  if (seated.value === 'empty') return inherently('No user is logged in');
  return seated.value.seat === '' ? inherently('The session has no seat') : { value: seated.value.seat };
}

interface Desktop {
  type: UserSession['type'];
  desktop: string | null;
}

/** Desktops that set the hints of logind. Others never do, so a hint that is not set has no meaning there. */
const hinting = /^(gnome|kde|x-cinnamon|cinnamon|mate|budgie|unity|pantheon|deepin|cosmic)/i;
const setsHints = ({ desktop }: Desktop) => desktop !== null && hinting.test(desktop);

function idleOf(
  display: DisplayFacts['idle'],
  session: SeatedSession | null,
  desktop: Desktop,
): Fact<{ since: number } | false> {
  if ('value' in display) return display;
  if (session === null) return desktop.type === 'none' ? inherently('No user is logged in') : display;
  if (session.idle) return { value: { since: session.idleSince } };
  // For a text session, logind watches the terminal itself.
  return desktop.type === 'tty' || setsHints(desktop) ? { value: false } : display;
}

function lockedOf(
  session: SeatedSession | null,
  { hasBeenLocked, ...desktop }: Desktop & { hasBeenLocked: boolean },
): Fact<boolean> {
  if (session === null) return desktop.type === 'none' ? inherently('No user is logged in') : noLogind;
  if (session.locked || hasBeenLocked || setsHints(desktop)) return { value: session.locked };
  if (desktop.type === 'tty' || desktop.type === 'none') return inherently('A text session is not locked by a screen');
  return mendably(
    'This desktop does not report a locked screen to logind; GNOME and KDE do, programs such as swaylock and i3lock do not',
  );
}

function windowOf(window: DisplayFacts['window'], reasons: Reasons): UserSession['active_window'] {
  const active = valueOrReason(reasons, 'active_window', window);
  if ('why' in window) return null;
  if (active === null) {
    reasons.inherent('active_window', 'No window has the focus');
    return null;
  }
  if (active.app === null) reasons.inherent('active_window.app', 'The program does not report its name');
  if (active.pid === null) reasons.inherent('active_window.pid', 'Neither the program nor the compositor reports it');
  return active;
}

function desktopInFront(desktop: DisplayFacts['desktop'], reasons: Reasons): UserSession['virtual_desktop'] {
  const front = valueOrReason(reasons, 'virtual_desktop', desktop);
  if (front?.name === null) reasons.inherent('virtual_desktop.name', 'The window manager gives it no name');
  return front;
}
