import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Meter } from '../parts/meter.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { useModule } from '../state/live.ts';
import { celsius } from '../units.ts';

export function Sensors() {
  const sensors = useModule('sensors');
  if (sensors === null) return <Absent module="sensors" />;
  const { temperatures, fans } = sensors;
  return (
    <div class="cards">
      {temperatures.length === 0 ? null : (
        <Card title="Warmest" wide>
          <Chart history="temperatures" format={celsius} least={50} label="Temperatures over the last 15 minutes" />
        </Card>
      )}
      <Card title="Temperatures">
        {temperatures.map(({ key, temperature, high, critical }) => {
          const limit = critical || high || 100;
          const limits = [high > 0 ? `high ${high}` : '', critical > 0 ? `critical ${critical}` : ''].filter(Boolean);
          return (
            <Meter
              key={key}
              label={key}
              value={Math.max(0, Math.min(100, (temperature / limit) * 100))}
              text={[celsius(temperature), ...limits].join(' · ')}
            />
          );
        })}
        {temperatures.length === 0 ? <Reasons module="sensors" fields={['temperatures']} /> : null}
      </Card>
      <Card title="Fans">
        {fans.map(({ key, name, label, speed_rpm, speed_min, speed_max }) => {
          const title = [name, label].filter(Boolean).join(' ');
          const limits = [speed_min ? `min ${speed_min}` : '', speed_max ? `max ${speed_max}` : ''];
          return (
            <Meter
              key={key}
              label={title}
              value={speed_rpm !== null && speed_max ? Math.min(100, (speed_rpm / speed_max) * 100) : null}
              text={[speed_rpm === null ? 'speed unknown' : `${speed_rpm} rpm`, ...limits].filter(Boolean).join(' · ')}
            />
          );
        })}
        <Reasons module="sensors" fields={fans.length === 0 ? ['fans'] : unknownSpeeds(fans)} />
      </Card>
    </div>
  );
}

const unknownSpeeds = (fans: readonly { speed_rpm: number | null }[]) =>
  fans.some(({ speed_rpm }) => speed_rpm === null) ? ['fans[].speed_rpm'] : [];
