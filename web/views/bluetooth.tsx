import type { ModulePayloads } from '@hostler/client/client.ts';
import { capitalised } from '../../src/lib/capitalised.ts';
import { Order } from '../components/action-button.tsx';
import { Card, State } from '../components/card.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Nothing, Reasons } from '../components/reasons.tsx';

type Adapter = ModulePayloads['bluetooth']['adapters'][number];
type Device = ModulePayloads['bluetooth']['devices'][number];

export function Bluetooth({ data: bluetooth }: { data: ModulePayloads['bluetooth'] }) {
  if (bluetooth.adapters.length === 0) return <Nothing module="bluetooth" icon="bluetooth" />;
  const { adapters, devices } = bluetooth;
  const sorted = devices.toSorted((a, b) => Number(b.connected) - Number(a.connected) || a.name.localeCompare(b.name));
  return (
    <div class="cards">
      {adapters.map((adapter) => (
        <AdapterCard key={adapter.id} adapter={adapter} />
      ))}
      {sorted.map((device) => (
        <DeviceCard
          key={`${device.adapter} ${device.address}`}
          device={device}
          powered={adapters.some(({ id, powered }) => id === device.adapter && powered)}
        />
      ))}
      {devices.length === 0 ? (
        <Card title="Devices">
          <p class="quiet">No device is paired with this machine.</p>
        </Card>
      ) : null}
    </div>
  );
}

function AdapterCard({ adapter: { id, name, address, powered, discovering } }: { adapter: Adapter }) {
  return (
    <Card title={name} icon="bluetooth" figure={<State good={powered} words={['on', 'off']} />}>
      <Facts
        of={[
          ['Adapter', id],
          ['Address', address],
          ['Searching', discovering ? 'Yes' : null],
        ]}
      />
      <div class="buttons">
        <Order
          event="BLUETOOTH_POWER"
          data={{ adapter: id, on: !powered }}
          label={`Turn ${powered ? 'off' : 'on'} ${name}`}
          class={powered ? 'plain' : ''}
        >
          {powered ? 'Turn off' : 'Turn on'}
        </Order>
      </div>
      <Reasons module="bluetooth" />
    </Card>
  );
}

function DeviceCard({ device, powered }: { device: Device; powered: boolean }) {
  const { name, kind, address, adapter, paired, trusted, connected, battery, rssi } = device;
  return (
    <Card title={name} figure={<State good={connected} words={['connected', 'not connected']} />}>
      <Facts
        of={[
          ['Kind', capitalised(kind.replaceAll('_', ' '))],
          ['Battery', battery === null ? null : `${battery} %`],
          ['Signal', rssi === null ? null : `${rssi} dBm`],
          ['Address', address],
          ['Trusted', trusted ? 'Yes' : 'No'],
        ]}
      />
      {paired ? (
        <div class="buttons">
          <Order
            event={connected ? 'BLUETOOTH_DISCONNECT' : 'BLUETOOTH_CONNECT'}
            data={{ device: address, adapter }}
            label={`${connected ? 'Disconnect' : 'Connect'} ${name}`}
            disabled={!powered}
            class={connected ? 'plain' : ''}
          >
            {connected ? 'Disconnect' : 'Connect'}
          </Order>
        </div>
      ) : null}
    </Card>
  );
}
