import type { ModulePayloads } from '@hostler/client/client.ts';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Icon } from '../../components/icon.tsx';
import { Traffic } from '../../components/traffic.tsx';
import { Link } from '../../shell/route.tsx';
import { type Interface, isLoopback, isVirtual, isWireless } from '../../state/networks.ts';
import { celsius } from '../../units.ts';

type Device = ModulePayloads['disks']['devices'][number];

/** Interfaces with their course: those with a link, or all where none has one; those of containers and virtual machines where there are no others. */
export function InterfaceRows({ interfaces, most }: { interfaces: readonly Interface[]; most: number }) {
  const real = interfaces.filter((each) => !isLoopback(each)).toSorted((a, b) => weight(a) - weight(b));
  const linked = real.filter(({ stats }) => stats.isup !== false);
  const known = linked.length > 0 ? linked : real;
  const own = known.filter((each) => !isVirtual(each));
  const shown = (own.length > 0 ? own : known).slice(0, most);
  return (
    <ul class="rows">
      {shown.map((each) => (
        <li key={each.name}>
          <Icon name={isWireless(each) ? 'wifi' : 'cable'} />
          <span class="name" title={each.addresses.map(({ address }) => address).join(', ')}>
            {each.name}
          </span>
          <Sparkline history={`network/${each.name}`} least={1000} label={`Traffic of ${each.name}`} />
          {each.stats.isup === false ? (
            <span class="quiet">down</span>
          ) : (
            <Traffic history={`network/${each.name}`} into="received" />
          )}
        </li>
      ))}
      {known.length > shown.length ? (
        <li class="rest">
          <Link to="/network">{known.length - shown.length} more</Link>
        </li>
      ) : null}
    </ul>
  );
}

const weight = (each: Interface) => (each.stats.isup === true ? 0 : 1) + (isVirtual(each) ? 2 : 0);

/** Disks with their course; what spans several, and what is of other machines, has no counters of its own. */
export function DeviceRows({ devices, most }: { devices: readonly Device[]; most: number }) {
  const known = devices.filter(({ io_counters }) => io_counters !== null);
  const shown = known.slice(0, most);
  return (
    <ul class="rows">
      {shown.map(({ name, temperature }) => (
        <li key={name}>
          <Icon name="disk" />
          <span class="name" title={temperature === null ? undefined : celsius(temperature)}>
            {name}
          </span>
          <Sparkline history={`disk/${name}`} least={1000} label={`Traffic of ${name}`} />
          <Traffic history={`disk/${name}`} into="read" />
        </li>
      ))}
      {known.length > shown.length ? (
        <li class="rest">
          <Link to="/disks">{known.length - shown.length} more</Link>
        </li>
      ) : null}
    </ul>
  );
}
