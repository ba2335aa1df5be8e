import type { ModulePayloads } from '@hostler/client/client.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Traffic } from '../../components/figures.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Link } from '../../shell/route.tsx';
import { type Interface, isLoopback, isVirtual, isWireless } from '../../state/networks.ts';
import { celsius } from '../../units.ts';

type Device = ModulePayloads['disks']['devices'][number];

const most = 4;

/** Interfaces with their course: those with a link, or all where none has one; those of containers and virtual machines where there are no others. */
export function InterfaceRows({ interfaces }: { interfaces: readonly Interface[] }) {
  const real = interfaces.filter((each) => !isLoopback(each)).toSorted((a, b) => weight(a) - weight(b));
  const linked = real.filter(({ stats }) => stats.isup !== false);
  const known = linked.length > 0 ? linked : real;
  const own = known.filter((each) => !isVirtual(each));
  const shown = (own.length > 0 ? own : known).slice(0, most);
  const rows = shown.map((each) => ({
    name: each.name,
    icon: isWireless(each) ? ('wifi' as const) : ('cable' as const),
    hint: each.addresses.map(({ address }) => address).join(', '),
    isDown: each.stats.isup === false,
  }));
  return <TrafficRows of="network" into="received" rows={rows} rest={known.length - rows.length} view="/network" />;
}

const weight = (each: Interface) => (each.stats.isup === true ? 0 : 1) + (isVirtual(each) ? 2 : 0);

/** Disks with their course; what spans several, and what is of other machines, has no counters of its own. */
export function DeviceRows({ devices }: { devices: readonly Device[] }) {
  const known = devices.filter(({ io_counters }) => io_counters !== null);
  const rows = known.slice(0, most).map(({ name, temperature }) => ({
    name,
    icon: 'disk' as const,
    hint: temperature === null ? undefined : celsius(temperature),
  }));
  return <TrafficRows of="disk" into="read" rows={rows} rest={known.length - rows.length} view="/disks" />;
}

interface TrafficRowsProps {
  /** The history: that of a row is below it. */
  of: string;
  into: 'received' | 'read';
  rows: readonly { name: string; icon: IconName; hint: string | undefined; isDown?: boolean }[];
  /** How many more there are, and where. */
  rest: number;
  view: string;
}

function TrafficRows({ of, into, rows, rest, view }: TrafficRowsProps) {
  return (
    <ul class="rows">
      {rows.map(({ name, icon, hint, isDown = false }) => (
        <li key={name}>
          <Icon name={icon} />
          <span class="name" title={hint}>
            {name}
          </span>
          <Sparkline history={`${of}/${name}`} least={1000} label={`Traffic of ${name}`} />
          {isDown ? <span class="quiet">down</span> : <Traffic history={`${of}/${name}`} into={into} />}
        </li>
      ))}
      {rest > 0 ? (
        <li class="rest">
          <Link to={view}>{rest} more</Link>
        </li>
      ) : null}
    </ul>
  );
}
