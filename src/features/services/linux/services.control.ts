import { BusError } from '@hostler/dbus/dbus.ts';
import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { type NamedUnit, type ServiceControl, serviceWords } from '../services.contract.ts';
import type { ServiceVerb } from '../services.schema.ts';
import { journal } from './journal.ts';
import { createUnitOrders, type OrderedUnit } from './unit-control.ts';

const methods = { start: 'StartUnit', stop: 'StopUnit', restart: 'RestartUnit' } as const;

export const serviceControlLinux = (host: LinuxHost): ServiceControl => {
  const { dbus, clock, files, environment } = host;
  const ordersFor = ({ scope }: NamedUnit) => createUnitOrders(scope === 'user' ? dbus.session : dbus.system, clock);
  const unavailable = () =>
    files.exists('/run/systemd/system')
      ? null
      : 'systemd does not manage this machine, and Hostler can change services only through systemd';

  return {
    unavailable,
    nameProblem: (unit) =>
      unitName.test(unit)
        ? null
        : 'must be a whole name such as nginx.service or user:sync.service, and no template such as getty@.service',
    async order(unit, verb) {
      const reason = unavailable();
      if (reason !== null) throw new ServiceError('unsupported', reason);
      const orders = ordersFor(unit);
      try {
        await requireUnit(unit, verb, await orders.loadState(unit.name));
        if (verb === 'enable' || verb === 'disable') {
          const isChangeable = verb === 'disable' ? await orders.disable(unit.name) : await orders.enable(unit.name);
          if (isChangeable === false)
            throw new ServiceError(
              'conflict',
              `${unit.name} cannot be enabled: its file has no section [Install], so something else has to start it`,
            );
          const enabled = await orders.fileState(unit.name);
          if (enabled.startsWith('enabled') !== (verb === 'enable') && enabled !== 'static' && enabled !== 'indirect')
            throw new ServiceError(
              'failed',
              `systemd accepted the request to ${verb} ${unit.name}, but it is ${enabled}`,
            );
          return { active_state: null, sub_state: null, enabled, done: true };
        }
        const ordered = await orders.run(methods[verb], unit.name);
        refuseFailure(unit, verb, ordered);
        return {
          active_state: ordered.active,
          sub_state: ordered.sub,
          enabled: null,
          done: ordered.result !== null,
        };
      } catch (error) {
        if (error instanceof BusError) throw orderRefusalOf(error, unit, verb, environment.userName);
        throw error;
      }
    },
    async logs(unit, lines) {
      const { name, scope } = unit;
      const uid = scope === 'user' ? environment.uid : null;
      const read = await partOf(host, journal);
      const answer = await read({ unit: name, scope, uid, lines }).catch((error) => {
        throw new ServiceError('failed', `The log of ${name} cannot be read: ${messageOf(error)}`, { cause: error });
      });
      if ('problem' in answer) throw new ServiceError('unsupported', problems[answer.problem](answer.detail));
      const reason = answer.readable || scope === 'user' ? null : notReadable(environment.userName);
      return { lines: answer.lines, truncated: answer.truncated, reason };
    },
  };
};

/** systemd's rules for names, without templates and without kinds that group other units, such as targets. */
const unitName = /^(?:user:)?[A-Za-z0-9:_.\\@-]{1,246}(?<!@)\.(?:service|timer|socket|path|mount)$/;

function requireUnit({ name, scope }: NamedUnit, verb: ServiceVerb, load: string): void {
  if (load === 'not-found') {
    const whose = scope === 'user' ? 'the user of this service' : 'this machine';
    throw new ServiceError('not_found', `There is no unit ${name} of ${whose}`);
  }
  if (load === 'masked' && verb !== 'stop' && verb !== 'disable')
    throw new ServiceError(
      'conflict',
      `${name} is masked and cannot be started; run "systemctl unmask ${name}" on the machine to allow it`,
    );
}

/** Throws if the job failed after systemd accepted it. */
function refuseFailure({ name }: NamedUnit, verb: keyof typeof methods, ordered: OrderedUnit): void {
  const { result, active, outcome, isConditionMet } = ordered;
  const hint = `"${ownCommand('services logs')} ${name}" shows its log`;
  const why = outcome === null || outcome === 'success' ? '' : ` (${outcome})`;
  if (result === null) return;
  if (result === 'canceled')
    throw new ServiceError('conflict', `The order to ${verb} ${name} was replaced by another one`);
  if (result === 'dependency')
    throw new ServiceError(
      'failed',
      `${name} could not be ${serviceWords[verb].past}: a unit that it needs failed; ${hint}`,
    );
  if (result === 'skipped' || (verb !== 'stop' && active === 'inactive' && !isConditionMet))
    throw new ServiceError(
      'conflict',
      `${name} was not ${serviceWords[verb].past}: a condition in its file does not hold`,
    );
  if (result !== 'done')
    throw new ServiceError('failed', `${name} could not be ${serviceWords[verb].past}: ${result}${why}; ${hint}`);
  if (verb === 'stop') {
    if (active !== 'inactive' && active !== 'failed')
      throw new ServiceError('failed', `${name} was stopped, but it is ${active} again`);
  } else if (active === 'failed')
    throw new ServiceError('failed', `${name} was ${serviceWords[verb].past} and failed right away${why}; ${hint}`);
}

const problems = {
  'no-library': (library: string) =>
    `The log cannot be read: ${library} is not installed, the library of systemd that reads its journal`,
  'no-journal': () => 'This machine keeps no journal: neither /var/log/journal nor /run/log/journal exists',
  failed: (detail: string) => `The journal of systemd cannot be read: ${detail}`,
};

const notReadable = (user: string) =>
  `The user ${user} may read only what that user's own programs wrote; to see everything, add the user to the group systemd-journal and restart Hostler`;

const longest = 300;

/** The error of systemd, polkit or the bus as a message. */
function orderRefusalOf(error: BusError, unit: NamedUnit, verb: ServiceVerb, user: string): ServiceError {
  const { name } = unit;
  const refuse = (code: ServiceError['code'], sentence: string) => new ServiceError(code, sentence, { cause: error });
  switch (error.errorName) {
    case 'org.freedesktop.DBus.Error.AccessDenied':
    case 'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired':
      return refuse(
        'forbidden',
        `The system does not let the user ${user} ${verb} ${name}. ${howToAllow(unit, verb, user)}`,
      );
    case 'org.freedesktop.systemd1.NoSuchUnit':
    case 'org.freedesktop.DBus.Error.FileNotFound':
      return refuse('not_found', `There is no unit ${name}`);
    case 'org.freedesktop.systemd1.UnitMasked':
      return refuse('conflict', `${name} is masked and cannot be started`);
    case 'org.freedesktop.systemd1.OnlyByDependency':
      return refuse('conflict', `${name} does not allow a manual ${verb}; only other units can ${verb} it`);
    case 'Client.NoBus':
      if (peerRefusalIn(error) !== null) return refuse('unsupported', `systemd cannot be reached: ${error.message}`);
      return refuse(
        'unsupported',
        unit.scope === 'user'
          ? `Units of the user cannot be reached: the user ${user} has no session here`
          : 'systemd cannot be reached: there is no system bus',
      );
    case 'Client.Timeout':
      return refuse('failed', `systemd did not answer in time; whether it will ${verb} ${name} is not known`);
    default:
      return refuse('failed', `systemd refuses to ${verb} ${name}: ${error.message.slice(0, longest)}`);
  }
}

/** polkit rules see the unit and the verb of jobs, but not the unit of file operations: a rule for those would allow all units. */
function howToAllow({ name, scope }: NamedUnit, verb: ServiceVerb, user: string): string {
  if (scope === 'user') return "It is the user's own service manager that refuses";
  if (verb === 'enable' || verb === 'disable')
    return `This cannot be allowed for a single unit: let an administrator ${verb} it with systemctl`;
  const tests = [
    'action.id == "org.freedesktop.systemd1.manage-units"',
    `action.lookup("unit") == ${JSON.stringify(name)}`,
    `action.lookup("verb") == ${JSON.stringify(verb)}`,
    `subject.user == ${JSON.stringify(user)}`,
  ];
  return `A file in /etc/polkit-1/rules.d with this line allows it: polkit.addRule(function (action, subject) { if (${tests.join(' && ')}) return polkit.Result.YES; });`;
}
