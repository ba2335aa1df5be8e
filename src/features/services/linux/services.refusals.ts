import type { BusError } from '@hostler/dbus/dbus.ts';
import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { NamedUnit } from '../services.contract.ts';
import type { ServiceVerb } from '../services.schema.ts';

const longest = 300;

/** The error of systemd, polkit or the bus as a message. */
export function orderRefusalOf(error: BusError, unit: NamedUnit, verb: ServiceVerb, user: string): ServiceError {
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
