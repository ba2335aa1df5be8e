import type { Reasons } from '../../../core/reasons.ts';
import type { ServiceUnit } from '../services.schema.ts';

/** Why something of some units is null. `open`: so many have not been asked for everything yet. */
export function sayWhatIsNull(units: readonly ServiceUnit[], open: number, reasons: Reasons): void {
  for (const [field, whenIdle, whenRunning] of explained) {
    const lacking = units.filter((unit) => unit[field] === null);
    if (lacking.length === 0) continue;
    if (open > 0) reasons.missing(`units[].${field}`, `systemd has not yet told it of ${open} units; ask again`);
    else if (whenRunning !== null && lacking.some(isRunning)) reasons.missing(`units[].${field}`, whenRunning);
    else reasons.inherent(`units[].${field}`, whenIdle);
  }
}

const notCounted =
  'The kernel does not count it for the control groups of some units that run; systemd asks for it with the settings DefaultMemoryAccounting and DefaultCPUAccounting in /etc/systemd/system.conf';

const isRunning = ({ main_pid }: ServiceUnit) => main_pid !== null;

/** The field, why it is null for a unit that does nothing, and why for one that runs; null: that is all right as well. */
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
