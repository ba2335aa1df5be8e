import { monitorPower } from '@hostler/ddc/vcp.ts';
import { openWayland } from '@hostler/wayland/connection.ts';
import { followOutputs, type WaylandOutput } from '@hostler/wayland/outputs.ts';
import { openDpms } from '@hostler/x11/dpms.ts';
import { partOf } from '../../../core/part.ts';
import { findForUse, whyNoDesktop, type X11Place } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { sleep } from '../../../lib/clock.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { DisplayPowerControl } from '../displays.contract.ts';
import { controllableMonitors, eachThatWorks, whyNoMonitor } from './displays.monitors-control.ts';
import { monitors } from './monitors.part.ts';
import { mutterPower, setMutterPower } from './mutter.ts';

/** Through the desktop, which then knows the state; else over DDC/CI. */
export const displayPowerLinux = (host: LinuxHost): DisplayPowerControl => ({
  async unavailable() {
    try {
      (await openDisplaySwitch(host)).close();
      return null;
    } catch (error) {
      return whyNoMonitor(await partOf(host, monitors)) === null ? null : messageOf(error);
    }
  },
  async set(meant, power) {
    try {
      return { displays: meant.displays, ...(await byDesktop(host, meant, power)) };
    } catch (refusal) {
      if (!(refusal instanceof ServiceError) || refusal.code !== 'unsupported') throw refusal;
      const loaded = await partOf(host, monitors);
      const controllable = controllableMonitors(loaded, meant.displays);
      if (controllable.length === 0) throw refusal;
      const done = await eachThatWorks(controllable, async (id) => ({
        id,
        controls: await loaded.set(id, 'power', power === 'on' ? monitorPower.on : monitorPower.off),
      }));
      return { displays: done.map(({ id }) => id), confirmed: done.every(({ controls }) => controls.power === power) };
    }
  },
});

async function byDesktop(
  host: LinuxHost,
  { displays, all }: { displays: readonly string[]; all: boolean },
  power: 'on' | 'off',
): Promise<{ confirmed: boolean }> {
  const found = await openDisplaySwitch(host);
  try {
    if (found.onlyTogether !== null && !all)
      throw new ServiceError(
        'unsupported',
        `${found.onlyTogether} switches all displays together; leave out the display to switch all of them`,
      );
    return await found.set(displays, power);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The displays could not be switched: ${messageOf(cause)}`, { cause });
  } finally {
    found.close();
  }
}

/** The interface of the desktop that switches displays, for one request. */
interface DisplaySwitch {
  /** The name of a desktop that switches all displays together; null: each alone. */
  onlyTogether: string | null;
  /** `confirmed`: the new state was read back within a few seconds. */
  set(displays: readonly string[], power: 'on' | 'off'): Promise<{ confirmed: boolean }>;
  close(): void;
}

const timeoutMs = 2000;
/** How long to wait until a display has the new state. */
const confirmWithinMs = 3000;
const pollEveryMs = 50;

/** Throws unsupported with a reason if the desktop cannot switch displays. */
export async function openDisplaySwitch(host: LinuxHost): Promise<DisplaySwitch> {
  const found = await findForUse(host.session);
  const { wayland, x11 } = found;
  try {
    if (wayland !== null) return await waylandSwitch(host, wayland);
    if (x11 !== null) return await x11Switch(host, x11);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('failed', `The desktop did not answer: ${shownText(messageOf(cause), 200)}`, { cause });
  }
  const why = whyNoDesktop(found, 'No desktop is running that could switch displays on and off');
  throw new ServiceError('unsupported', capitalised(why));
}

async function waylandSwitch(host: LinuxHost, socket: string): Promise<DisplaySwitch> {
  const { connectLocal, clock, dbus } = host;
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs });
  try {
    const outputs = await followOutputs(wayland, () => {});
    if (outputs.hasPower()) {
      const all = outputs.list();
      if (all.every(({ isFixed }) => isFixed)) refuseFixed(all);
      return {
        onlyTogether: null,
        async set(displays, power) {
          const meant = outputs.list().filter(({ name }) => name !== null && displays.includes(name));
          refuseFixed(meant);
          for (const output of meant) outputs.setPower(output, power);
          await wayland.sync();
          const refusing = meant.filter((output) => output.power === null);
          if (refusing.length > 0) throw cannot(refusing.map(({ name }) => String(name)));
          const confirmed = await becomes(host, () => meant.every((output) => output.power === power));
          return { confirmed };
        },
        close: wayland.close,
      };
    }
    wayland.close();
  } catch (error) {
    wayland.close();
    throw error;
  }
  if ((await mutterPower(dbus.session)) === null)
    throw new ServiceError(
      'unsupported',
      'This compositor does not let other programs switch displays on and off; sway and others based on wlroots, KDE and GNOME do',
    );
  return {
    onlyTogether: 'GNOME',
    async set(_displays, power) {
      await setMutterPower(dbus.session, power);
      return { confirmed: await becomes(host, async () => (await mutterPower(dbus.session)) === power) };
    },
    close: () => {},
  };
}

/** Checked before anything is switched, so that a refused request has no effect. */
function refuseFixed(outputs: readonly WaylandOutput[]): void {
  const fixed = outputs.filter(({ isFixed }) => isFixed).map(({ name }) => String(name));
  if (fixed.length > 0)
    throw new ServiceError(
      'unsupported',
      `The compositor reports that ${fixed.join(', ')} cannot be switched on and off`,
    );
}

const cannot = (names: string[]) =>
  new ServiceError(
    'unsupported',
    `The compositor does not let ${names.join(', ')} be switched: it cannot, or another program is switching it`,
  );

async function x11Switch(host: LinuxHost, place: X11Place): Promise<DisplaySwitch> {
  const x11 = await openDisplay(host, place, timeoutMs);
  const dpms = await closedOnFailure(x11, () => openDpms(x11));
  if (dpms === null) {
    x11.close();
    throw new ServiceError('unsupported', `The X server ${place.display} cannot switch its displays (it lacks DPMS)`);
  }
  return {
    onlyTogether: 'The X server',
    async set(_displays, power) {
      await dpms.set(power);
      return { confirmed: await becomes(host, async () => (await dpms.power()) === power) };
    },
    close: x11.close,
  };
}

async function becomes({ clock }: LinuxHost, isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const started = clock.monotonic();
  while (!(await isSo())) {
    if (clock.monotonic() - started > confirmWithinMs) return false;
    await sleep(clock, pollEveryMs);
  }
  return true;
}
