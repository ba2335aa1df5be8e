import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { wifiSignalPercent } from '../../../src/lib/wifi-channel.ts';
import { Card, State } from '../../components/card.tsx';
import { NamedChart } from '../../components/chart/named-chart.tsx';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Facts } from '../../components/fact-list.tsx';
import { Meter, Traffic } from '../../components/figures.tsx';
import { Icon } from '../../components/icon.tsx';
import { Reasons } from '../../components/reasons.tsx';
import {
  channelInWords,
  type Interface,
  isLoopback,
  isTunnel,
  isVirtual,
  isWireless,
  securityInWords,
} from '../../state/networks.ts';
import { set } from '../../state/set.ts';
import { bytes } from '../../units.ts';
import { Connections } from './networks-connections.tsx';

type Networks = ModulePayloads['networks'];

export function Network({ data: networks }: { data: ModulePayloads['networks'] }) {
  return (
    <>
      <div class="cards">
        <Card
          title="Traffic"
          icon="network"
          chart="network"
          wide
          figure={<Traffic history="network" into="received" />}
        >
          <NamedChart of="network" size="tall" />
          <Sum networks={networks} />
        </Card>
      </div>
      <Vpns vpns={networks.vpns ?? []} />
      <Interfaces interfaces={networks.networks} />
      <h2 class="section">Connections</h2>
      <Connections connections={networks.connections} />
    </>
  );
}

function Sum({ networks: { networks, io } }: { networks: Networks }) {
  if (io === null) return <Reasons module="networks" fields={['io']} />;
  const counted = networks.filter((each) => !isLoopback(each) && each.io);
  const received = counted.reduce((sum, each) => sum + (each.io?.bytes_recv ?? 0), 0);
  const sent = counted.reduce((sum, each) => sum + (each.io?.bytes_sent ?? 0), 0);
  return (
    <p class="small">
      {bytes(received)} received and {bytes(sent)} sent since boot by all interfaces but loopback, which is the machine
      talking to itself ({bytes(Math.max(0, io.bytes_recv - received))}).
    </p>
  );
}

const vpnKinds = {
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  tun: 'Tunnel',
  ppp: 'PPP',
  ipsec: 'IPsec',
  other: 'VPN',
};

function Vpns({ vpns }: { vpns: NonNullable<Networks['vpns']> }) {
  if (vpns.length === 0) return null;
  return (
    <>
      <h2 class="section">VPN</h2>
      <div class="cards">
        {vpns.map(({ name, kind, interface: through, up }, place) => (
          <Card
            key={`${name} ${place}`}
            title={name}
            icon="network"
            figure={<State good={up} words={['up', 'down']} />}
          >
            <p class="facts">{[vpnKinds[kind], through === name ? '' : (through ?? '')].filter(Boolean).join(' · ')}</p>
          </Card>
        ))}
      </div>
    </>
  );
}

function Interfaces({ interfaces }: { interfaces: readonly Interface[] }) {
  const all = useSignal(false);
  const sorted = useMemo(() => interfaces.toSorted((a, b) => weight(a) - weight(b)), [interfaces]);
  const main = sorted.filter((each) => weight(each) < 4);
  const shown = all.value || main.length === 0 ? sorted : main;
  return (
    <>
      <h2 class="section">Interfaces</h2>
      <div class="cards">
        {shown.map((each) => (
          <InterfaceCard key={each.name} interface={each} />
        ))}
      </div>
      {shown.length < sorted.length ? (
        <p class="buttons">
          <button type="button" class="plain" onClick={() => set(all, true)}>
            Show {sorted.length - shown.length} more
          </button>
        </p>
      ) : null}
    </>
  );
}

/** Those with a link first, then those without, those of containers, and loopback. */
const weight = (each: Interface) =>
  (each.stats.isup === true ? 0 : 1) + (isVirtual(each) ? 4 : 0) + (isLoopback(each) ? 2 : 0);

function InterfaceCard({ interface: each }: { interface: Interface }) {
  const { name, addresses, stats, io } = each;
  const kind = kindOf(each);
  const facts = [
    kind,
    stats.speed ? `${stats.speed >= 1000 ? `${stats.speed / 1000} Gbit/s` : `${stats.speed} Mbit/s`}` : '',
    stats.duplex === '' ? '' : `${stats.duplex} duplex`,
    stats.mtu === null ? '' : `MTU ${stats.mtu}`,
    each.wake_on_lan === true ? `wakes this machine${wakesBy(each)}` : '',
  ];
  return (
    <Card
      title={name}
      icon={isWireless(each) ? 'wifi' : 'cable'}
      figure={stats.isup === null ? undefined : <State good={stats.isup} words={['up', 'down']} />}
    >
      <p class="facts">{facts.filter(Boolean).join(' · ')}</p>
      <Wifi wifi={each.wifi} />
      {io === null || isLoopback(each) ? null : (
        <>
          <Sparkline history={`network/${name}`} least={1000} label={`Traffic of ${name}`} />
          <p class="both">
            <Traffic history={`network/${name}`} into="received" />
            <span class="small">
              <Icon name="received" /> {bytes(io.bytes_recv)} <Icon name="sent" /> {bytes(io.bytes_sent)} since boot
            </span>
          </p>
        </>
      )}
      <Facts
        of={addresses.map(({ family, address, netmask }) => [
          family,
          <span title={netmask ?? undefined}>{address}</span>,
        ])}
      />
      {addresses.length === 0 ? <p class="quiet">The interface has no addresses.</p> : null}
    </Card>
  );
}

/** Where it is known and not the usual packet. */
function wakesBy({ wake_modes }: Interface): string {
  const active = wake_modes?.active ?? [];
  return active.length === 0 || (active.length === 1 && active[0] === 'magic')
    ? ''
    : ` (${active.join(', ').replaceAll('_', ' ')})`;
}

function kindOf(each: Interface): string {
  if (isLoopback(each)) return 'Loopback';
  if (isWireless(each)) return 'Wi-Fi';
  if (isTunnel(each)) return each.kind === 'wireguard' ? 'WireGuard' : 'Tunnel';
  if (isVirtual(each) || each.kind !== undefined) return 'Virtual';
  return 'Wired';
}

/** The wireless network it is connected to. */
function Wifi({ wifi }: { wifi: Interface['wifi'] }) {
  if (wifi === undefined) return null;
  if (wifi === null) return <Reasons module="networks" fields={['networks[].wifi']} />;
  const { ssid, signal, frequency, rate: sending, receive_rate, security } = wifi;
  const mbit = (value: number | null) => (value === null ? '' : `${Math.round(value)} Mbit/s`);
  const facts = [
    securityInWords(security),
    frequency === null ? '' : channelInWords(frequency),
    [receive_rate === null ? '' : `${mbit(receive_rate)} in`, sending === null ? '' : `${mbit(sending)} out`]
      .filter(Boolean)
      .join(', '),
  ];
  return (
    <div class="mount">
      <Meter
        label={ssid ?? 'Hidden network'}
        value={signal === null ? null : wifiSignalPercent(signal)}
        text={signal === null ? '' : `${signal} dBm`}
        lowIsBad
      />
      <p class="small">{facts.filter(Boolean).join(' · ')}</p>
    </div>
  );
}
