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
 * By logind, which lets whoever sits at the screen, else by its file, which root may write, and others where a rule of udev allows it.
 * https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html
 */
export async function setLamp(host: LinuxHost, name: string, value: number): Promise<void> {
  const objection = await askLogind(host, name, value);
  if (objection === null) return;
  try {
    await (await partOf(host, attributes)).write(lampSwitch(name), String(value));
  } catch (cause) {
    const isRefused = ['EACCES', 'EPERM', 'EROFS'].includes(codeOf(cause) ?? '');
    const why = isRefused
      ? `${objection}, and only root may write ${lampSwitch(name)}. Log in at the screen, or allow it by a rule of udev`
      : `${objection}, and ${lampSwitch(name)} could not be written: ${messageOf(cause)}`;
    throw new ServiceError(isRefused ? 'forbidden' : 'failed', `The brightness could not be set: ${why}`, { cause });
  }
}

/** null: it is done. */
async function askLogind({ dbus, environment }: LinuxHost, name: string, value: number): Promise<string | null> {
  try {
    const session = chooseSession(await readSessions(dbus.system, timeoutMs), environment.uid);
    if (session === null) return 'nobody is logged in at the screen';
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
    return absent.test(error.errorName) ? 'no logind runs' : `logind refused it (${shownText(messageOf(error), 200)})`;
  }
}

const absent = /^(Client\.NoBus|org\.freedesktop\.DBus\.Error\.(ServiceUnknown|NameHasNoOwner|Spawn\..*))$/;
