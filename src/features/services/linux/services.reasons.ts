import type { Reasons } from '../../../core/reasons.ts';
import type { ServiceUnit } from '../services.schema.ts';

/** Reports why fields of some units are null. `open`: number of units whose properties are not complete yet. */
export function explainNulls(units: readonly ServiceUnit[], open: number, reasons: Reasons): void {
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
