import { doNotDisturb } from '../../../host/linux/desktop/do-not-disturb.ts';
import type { Fact } from '../../../host/linux/desktop/found-value.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { sleep } from '../../../lib/clock.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { SessionSwitchControl } from '../session.contract.ts';
import { silenceNotifications, whyNoSilence } from './do-not-disturb.control.ts';
import { switchNightLight, whyNoNightLight } from './night-light.control.ts';
import { nightLight } from './night-light.ts';

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
