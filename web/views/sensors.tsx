import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
import { NamedChart } from '../components/chart/named-chart.tsx';
import { Columns } from '../components/columns.tsx';
import { Switch } from '../components/field.tsx';
import { Meter } from '../components/figures.tsx';
import { Nothing, Reasons } from '../components/reasons.tsx';
import { byDevice, sensorName, sensorTitle } from '../state/sensor-names.ts';
import { celsius } from '../units.ts';

type Temperature = ModulePayloads['sensors']['temperatures'][number];
type Fan = ModulePayloads['sensors']['fans'][number];

export function Sensors({ data: sensors }: { data: ModulePayloads['sensors'] }) {
  const keys = useSignal(false);
  const { temperatures, fans } = sensors;
  if (temperatures.length === 0 && fans.length === 0)
    return <Nothing module="sensors" icon="temperature" fields={['temperatures', 'fans']} />;
  return (
    <>
      {temperatures.length === 0 ? (
        <Reasons module="sensors" fields={['temperatures']} />
      ) : (
        <div class="cards">
          <Card title="Warmest" icon="temperature" chart="temperatures" wide>
            <NamedChart of="temperatures" size="tall" />
          </Card>
        </div>
      )}
      <div class="toolbar section">
        <Switch value={keys}>Show keys, as the API has them</Switch>
      </div>
      <Columns>
        {[
          ...byDevice(temperatures).map(([device, of]): [number, ComponentChildren] => [
            2 * of.length,
            <Card key={device} title={device} icon="temperature">
              {of.map((each) => (
                <TemperatureMeter key={each.key} of={each} withKey={keys.value} />
              ))}
            </Card>,
          ]),
          fans.length === 0
            ? null
            : [
                2 * fans.length,
                <Card key="fans" title="Fans" icon="fan">
                  {fans.map((fan) => (
                    <FanMeter key={fan.key} fan={fan} withKey={keys.value} />
                  ))}
                  <Reasons module="sensors" fields={unknownSpeeds(fans)} />
                </Card>,
              ],
        ]}
      </Columns>
      {fans.length === 0 ? <Reasons module="sensors" fields={['fans']} /> : null}
    </>
  );
}

function TemperatureMeter({
  of: { key, temperature, high, critical },
  withKey,
}: {
  of: Temperature;
  withKey: boolean;
}) {
  const limit = critical || high || 100;
  const limits = [high > 0 ? `high ${high.toFixed(0)}` : '', critical > 0 ? `critical ${critical.toFixed(0)}` : ''];
  return (
    <>
      <Meter
        label={sensorName(key).channel}
        value={Math.max(0, Math.min(100, (temperature / limit) * 100))}
        text={[celsius(temperature), ...limits.filter(Boolean)].join(' · ')}
      />
      {withKey ? <Key of={key} /> : null}
    </>
  );
}

function FanMeter({ fan, withKey }: { fan: Fan; withKey: boolean }) {
  const { key, label, speed_rpm, speed_min, speed_max } = fan;
  const limits = [speed_min ? `min ${speed_min}` : '', speed_max ? `max ${speed_max}` : ''];
  return (
    <>
      <Meter
        label={label || sensorTitle(key)}
        value={speed_rpm !== null && speed_max ? Math.min(100, (speed_rpm / speed_max) * 100) : null}
        text={[speed_rpm === null ? 'speed unknown' : `${speed_rpm} rpm`, ...limits].filter(Boolean).join(' · ')}
      />
      {withKey ? <Key of={key} /> : null}
    </>
  );
}

const Key = ({ of }: { of: string }) => (
  <p class="small key">
    <code>{of}</code>
  </p>
);

const unknownSpeeds = (fans: readonly Fan[]) =>
  fans.some(({ speed_rpm }) => speed_rpm === null) ? ['fans[].speed_rpm'] : [];
