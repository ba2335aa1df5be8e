import { BusError } from '@hostler/dbus/dbus.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { chooseSession } from '../../../host/linux/login/login-session.ts';
import { readSessions } from '../../../host/linux/login/logind.ts';
import { codeOf, messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { lampSwitch } from './backlight.ts';
import { attributes } from './sysfs-attributes.ts';

const timeoutMs = 2000;

/**
 * Through logind, which permits the user at the screen; else through the file, which root may write, and others if a udev rule allows it.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
export async function setLamp(host: LinuxHost, name: string, value: number): Promise<void> {
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
      destination: 'org.freedesktop.login1',
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
