import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { stopAll } from '../../lib/closing.ts';
import { messageOf } from '../../lib/errors.ts';
import { createCgroupUsage } from './linux/cgroup-usage.ts';
import { createServiceEntries } from './linux/services.entries.ts';
import { createOpenrcServices, isOpenrc } from './linux/services.openrc.ts';
import {
  createUnitFileStates,
  systemUnitDirectories,
  type UnitDirectories,
  userUnitDirectories,
} from './linux/unit-file-states.ts';
import { createUnitList, type FoundUnits } from './linux/unit-list.ts';
import { parseUnitName } from './services.contract.ts';
import { listUnits } from './services.payload.ts';
import type { Services, ServiceUnit } from './services.schema.ts';

/** systemd or OpenRC, whichever runs. */
export const servicesLinux: CreateSource<Services, LinuxHost> = (host, { settings }) => {
  const { files, dbus, clock } = host;
  const listOn = (bus: Bus, directories: UnitDirectories) =>
    createUnitList(bus, clock, createUnitFileStates(files, directories));
  const lists = {
    system: listOn(dbus.system, systemUnitDirectories),
    user: listOn(dbus.session, userUnitDirectories(host.environment)),
  };
  const usage = createCgroupUsage(files);
  const entriesOf = createServiceEntries(usage, clock);
  const openrc = createOpenrcServices(host, usage);
  const unitsOf = (scope: keyof typeof lists) => {
    const allowed = settings()
      .services.allowlist.map(parseUnitName)
      .filter((unit) => unit.scope === scope);
    return lists[scope].read(allowed.map(({ name }) => name)).catch(reasonOf);
  };
  return {
    async read(reasons) {
      if (isOpenrc(files)) {
        const { state, units } = await openrc.read();
        reasons.inherent('user_state', 'OpenRC has no service manager of users here');
        explainNulls(units, 0, reasons);
        return { manager: 'openrc', state, user_state: null, ...listUnits(units) };
      }
      const [system, user] = await Promise.all([unitsOf('system'), unitsOf('user')]);
      const ofSystem = isFound(system) ? system : null;
      const ofUser = isFound(user) ? user : null;
      if (ofUser === null) reasons.inherent('user_state', noUserManager(user));
      else if (ofUser.state === null) reasons.missing('user_state', noState);
      if (ofSystem === null) {
        const field = ofUser === null ? null : 'state';
        const isUnmanaged = isFound(system) || system === null || !files.exists('/run/systemd/system');
        reasons.missing(field, `${isUnmanaged ? unmanaged : system}. ${howToFix}`);
      } else if (ofSystem.state === null) reasons.missing('state', noState);
      const found = entriesOf(ofSystem, ofUser, settings().services.allowlist);
      explainNulls(found.units, found.open, reasons);
      return {
        manager: ofSystem === null && ofUser === null ? null : 'systemd',
        state: ofSystem?.state ?? null,
        user_state: ofUser?.state ?? null,
        ...listUnits(found.units),
      };
    },
    // OpenRC announces no changes.
    ...(!isOpenrc(files) && {
      watch: (changed: () => void) => stopAll([lists.system.watch(changed), lists.user.watch(changed)]),
    }),
    close() {
      for (const list of Object.values(lists)) list.close();
      usage.close();
    },
  };
};

const isFound = (answer: FoundUnits | string | null): answer is FoundUnits =>
  answer !== null && typeof answer !== 'string';

const noState = 'systemd does not report its state';
const unmanaged = 'Neither systemd nor OpenRC runs here';
const howToFix = 'In a container, mount the socket of the system bus to see the services of the machine';
const noUserManager = (answer: unknown) =>
  `The units of the user are unknown: ${typeof answer === 'string' ? answer : 'this user has no service manager'}`;

function reasonOf(error: unknown): string {
  if (error instanceof BusError) return messageOf(error).replace(/\.$/, '');
  throw error;
}

/** Reports why fields of some units are null. `open`: number of units whose properties are not complete yet. */
function explainNulls(units: readonly ServiceUnit[], open: number, reasons: Reasons): void {
  for (const [field, whenIdle, whenRunning] of explained) {
    const lacking = units.filter((unit) => unit[field] === null);
    if (lacking.length === 0) continue;
    if (open > 0) reasons.missing(`units[].${field}`, `systemd has not reported it for ${open} units yet; read again`);
    else if (whenRunning !== null && lacking.some(isRunning)) reasons.missing(`units[].${field}`, whenRunning);
    else reasons.inherent(`units[].${field}`, whenIdle);
  }
}

const notCounted =
  'The kernel does not count it for the control groups of some units that run; systemd enables it with the settings DefaultMemoryAccounting and DefaultCPUAccounting in /etc/systemd/system.conf';

const isRunning = ({ main_pid }: ServiceUnit) => main_pid !== null;

/** The field, why it is null for an inactive unit, and why for a running one; null: the same reason. */
const explained: readonly [
  'since' | 'main_pid' | 'memory' | 'cpu_time' | 'restarts' | 'enabled',
  string,
  string | null,
][] = [
  ['since', 'Units that were not used since the machine started have been in their state all the time', null],
  ['main_pid', 'Units that do not run have no main process, and some that run have none either', null],
  ['memory', 'Units that do not run use none', notCounted],
  ['cpu_time', 'Units that do not run use none', notCounted],
  ['restarts', 'Only services of systemd count how often they were restarted', null],
  ['enabled', 'Units without a file of their own cannot be enabled', null],
];
