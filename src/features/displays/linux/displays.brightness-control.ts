import { BusError } from '@hostler/dbus/dbus.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { chooseSession } from '../../../host/linux/login/login-session.ts';
import { loginManager, readSessions } from '../../../host/linux/login/logind.ts';
import { codeOf, messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { BrightnessControl } from '../displays.contract.ts';
import type { NamedDisplay } from '../displays.targets.ts';
import { backlightsOf, lampSwitch, lampValue, percentOfLamp, readBacklights } from './backlight.ts';
import { desktopLamps, lampsOfDesktop } from './desktop-brightness.ts';
import { controllableMonitors, eachThatWorks, whyNoMonitor, whyNotMonitor } from './displays.monitors-control.ts';
import { monitors } from './monitors.part.ts';
import { attributes } from './sysfs-attributes.ts';

const noLamp = 'No display of this machine has a backlight that the kernel knows (/sys/class/backlight is empty)';

/** Through the slider of GNOME or Plasma, so that it follows; else through the backlight of the kernel, or DDC/CI for external monitors. */
export const brightnessControlLinux = (host: LinuxHost): BrightnessControl => {
  const { session } = host.dbus;
  const lamps = (displays: readonly string[]) => backlightsOf(readBacklights(host.files), displays);
  const sliders = async (known: readonly NamedDisplay[]) => lampsOfDesktop(await desktopLamps(session), known);
  return {
    async unavailable() {
      if (readBacklights(host.files).length > 0) return null;
      const why = whyNoMonitor(await partOf(host, monitors));
      if (why === null || (await desktopLamps(session)).length > 0) return null;
      return `${noLamp}. ${why}`;
    },
    async dimmable(displays, known) {
      const lit = lamps(displays);
      const controllable = new Set(controllableMonitors(await partOf(host, monitors), displays));
      const slid = await sliders(known);
      return displays.filter((id) => lit.has(id) || controllable.has(id) || slid.has(id));
    },
    whyNot: async (display) =>
      `The kernel has no backlight for it. ${whyNotMonitor(await partOf(host, monitors), display)}`,
    async set(displays, percent, known) {
      const loaded = await partOf(host, monitors);
      const slid = await sliders(known);
      return await eachThatWorks(displays, async (id) => {
        const slider = slid.get(id);
        // 0.4 percent must not round to 0, which may be black.
        const whole = percent > 0 ? Math.max(1, Math.round(percent)) : 0;
        if (slider !== undefined && (await slider.set(whole).then(done, failed))) return { id, brightness: whole };
        const lamp = lamps(displays).get(id);
        if (lamp !== undefined) {
          await setLamp(host, lamp.name, lampValue(percent, lamp.max));
          return { id, brightness: percentOfLamp(lamps(displays).get(id) ?? lamp) };
        }
        const { brightness } = await loaded.set(id, 'brightness', percent);
        if (brightness === null)
          throw new ServiceError('unsupported', `${id} has no brightness that can be set over DDC/CI`);
        return { id, brightness };
      });
    },
  };
};

const done = () => true;
const failed = () => false;

const timeoutMs = 2000;

/**
 * Through logind, which permits the user at the screen; else through the file, which root may write, and others if a udev rule allows it.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
async function setLamp(host: LinuxHost, name: string, value: number): Promise<void> {
  const objection = await setByLogind(host, name, value);
  if (objection === null) return;
  try {
    await (await partOf(host, attributes)).write(lampSwitch(name), String(value));
  } catch (cause) {
    const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(cause) ?? '');
    const why = isRefused
      ? `${objection}, and only root may write ${lampSwitch(name)}. Log in at the screen, or allow it with a udev rule`
      : `${objection}, and ${lampSwitch(name)} could not be written: ${messageOf(cause)}`;
    throw new ServiceError(isRefused ? 'forbidden' : 'failed', `The brightness could not be set: ${why}`, { cause });
  }
}

/** null: the value is set. */
async function setByLogind({ dbus, environment }: LinuxHost, name: string, value: number): Promise<string | null> {
  try {
    const session = chooseSession(await readSessions(dbus.system, timeoutMs), environment.uid);
    if (session === null) return 'no user is logged in at the screen';
    await dbus.system.call({
      ...loginManager,
      path: session.path,
      interface: 'org.freedesktop.login1.Session',
      member: 'SetBrightness',
      signature: 'ssu',
      body: ['backlight', name, value],
      timeoutMs,
    });
    return null;
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    return absent.test(error.errorName)
      ? 'logind is not running'
      : `logind refused it (${shownText(messageOf(error), 200)})`;
  }
}

const absent = /^(Client\.NoBus|org\.freedesktop\.DBus\.Error\.(ServiceUnknown|NameHasNoOwner|Spawn\..*))$/;
