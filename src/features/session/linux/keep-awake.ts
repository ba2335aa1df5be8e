import { type BusCall, BusError } from '@hostler/dbus/dbus.ts';
import { definePart, partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { findLoginManager } from '../../../host/linux/login/login-session.ts';
import { loginManager } from '../../../host/linux/login/logind.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { AwakeControl } from '../session.contract.ts';

/** Calls a method of the system bus that returns a pipe, and holds it until the returned function is called. */
export const awakeDescriptorPart = definePart<(call: BusCall) => Promise<() => void>, LinuxHost>({
  name: 'session.awake-descriptor',
  create: (host) => async (call) => (await import('../../../host/linux/login/hold-pipe.ts')).holdPipe(host, call),
  absent: async () => {
    throw new Error('A recording has no bus that hands out descriptors');
  },
});

const noManager =
  'Keeping the machine awake is not supported here: systemd-logind (or elogind) does not answer on the system bus';
const refusals = /\.(AccessDenied|AuthFailed|InteractiveAuthorizationRequired|NotAuthorized)$/;

/** An inhibitor of logind: a descriptor, which the kernel closes with this process. */
export const keepAwakeLinux = (host: LinuxHost): AwakeControl => ({
  async unavailable() {
    try {
      return (await findLoginManager(host.dbus.system))?.name === 'logind' ? null : noManager;
    } catch (error) {
      return `logind does not answer: ${shownText(messageOf(error), 200)}`;
    }
  },
  async hold(why) {
    const hold = await partOf(host, awakeDescriptorPart);
    const inhibit = (what: string) =>
      hold({
        ...loginManager,
        member: 'Inhibit',
        signature: 'ssss',
        body: [what, 'Hostler', why, 'block'],
        timeoutMs: 3000,
      });
    try {
      return { blocks: ['sleep', 'idle'], release: await inhibit('sleep:idle') };
    } catch (error) {
      if (!isRefusal(error)) throw failure(error);
    }
    try {
      // Blocking sleep needs a session at the machine; an idle machine is kept awake without one.
      return { blocks: ['idle'], release: await inhibit('idle') };
    } catch (error) {
      throw failure(error);
    }
  },
});

const isRefusal = (error: unknown) => error instanceof BusError && refusals.test(error.errorName);

const failure = (error: unknown) =>
  new ServiceError(
    isRefusal(error) ? 'forbidden' : 'failed',
    isRefusal(error)
      ? 'polkit does not allow this user to keep the machine awake; a rule for org.freedesktop.login1.inhibit-block-idle allows it'
      : `logind cannot keep the machine awake: ${shownText(messageOf(error), 200)}`,
    { cause: error },
  );
