import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Inhibitor, LoginManager, MachineVerb } from '../../../host/linux/login/logind-manager.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { Verb } from '../power.verbs.ts';
import { isRefusal, type LinuxVerb, listBlockers, requireManager, withServiceErrors } from './power.errors.ts';

export interface MachineOrder {
  order: MachineVerb;
  /** Inhibitors of this kind block it. */
  inhibitedBy: 'sleep' | 'shutdown';
  done: string;
}

export function machineVerb({ order, inhibitedBy, done }: MachineOrder): LinuxVerb {
  const name = names[order];
  const check = async (host: LinuxHost, manager: LoginManager, force: boolean) => {
    const answer = await withServiceErrors(name, () => manager.can(order));
    if (answer === 'na') throw new ServiceError('unsupported', cannot[order]);
    const blockers = (await withServiceErrors(name, () => manager.inhibitors())).filter(blocks(inhibitedBy));
    if (blockers.length > 0 && !force) throw conflict(name, blockers);
    // With an inhibitor the answer is about the permission to override it; newer versions have a separate word for that.
    if (answer.startsWith('challenge') || answer === 'no') {
      throw await forbidden({ host, manager, order, force: blockers.length > 0, answer });
    }
  };
  return {
    async check(host, { force }) {
      await check(host, await requireManager(host, name), force);
    },
    async perform(host, { force }) {
      const manager = await requireManager(host, name);
      await check(host, manager, force);
      try {
        await manager.order(order, force);
      } catch (error) {
        // An inhibitor may have been taken between the check and the order.
        if (isRefusal(error)) await check(host, manager, force);
        if (isRefusal(error)) throw await forbidden({ host, manager, order, force, answer: 'no' });
        await withServiceErrors(name, () => Promise.reject(error));
      }
      return done;
    },
  };
}

const names: Record<MachineVerb, Verb> = {
  Suspend: 'sleep',
  Hibernate: 'hibernate',
  Reboot: 'restart',
  PowerOff: 'shutdown',
};

const cannot: Record<MachineVerb, string> = {
  Suspend:
    'This machine cannot sleep: its kernel or firmware does not support it, or /etc/systemd/sleep.conf forbids it',
  Hibernate:
    'This machine cannot hibernate: it needs swap space as large as the memory in use, and a kernel that allows it (secure boot may forbid it)',
  Reboot: 'This machine cannot be restarted from here, which is usual in a container',
  PowerOff: 'This machine cannot be shut down from here, which is usual in a container',
};

/** Delay inhibitors do not block. `block-weak` is what `block` was before systemd 257. */
function blocks(what: string): (inhibitor: Inhibitor) => boolean {
  return (inhibitor) => inhibitor.mode.startsWith('block') && inhibitor.what.includes(what);
}

function conflict(name: Verb, blockers: Inhibitor[]): ServiceError {
  return new ServiceError(
    'conflict',
    `power.${name} is blocked by ${listBlockers(blockers)}. Close it first, or send {"force": true}`,
  );
}

async function forbidden({ host, manager, order, force, answer }: Refusal): Promise<ServiceError> {
  const { uid, userName } = host.environment;
  const sessions = await manager.sessions().catch(() => []);
  const others = sessions.some((session) => session.class.startsWith('user') && session.uid !== uid);
  const policies = manager.policies(order, others, force);
  const list = policies.join(' and ');
  const wants = answer.startsWith('challenge')
    ? `polkit wants a password from the user ${userName} for ${list}`
    : `polkit denies ${list} to the user ${userName}`;
  const rule = `polkit.addRule(function(action, subject) { if (${JSON.stringify(policies)}.indexOf(action.id) >= 0 && subject.user == ${JSON.stringify(userName)}) return polkit.Result.YES; });`;
  return new ServiceError(
    'forbidden',
    `power.${names[order]} is not allowed: ${wants}. A file /etc/polkit-1/rules.d/50-hostler.rules with this line allows it: ${rule}`,
  );
}

interface Refusal {
  host: LinuxHost;
  manager: LoginManager;
  order: MachineVerb;
  force: boolean;
  answer: string;
}
