import { Card } from '../parts/card.tsx';
import { Meter } from '../parts/meter.tsx';
import { Reasons } from '../parts/reasons.tsx';
import { useModule } from '../state/live.ts';
import { celsius } from '../units.ts';

export function Sensors() {
  const sensors = useModule('sensors');
  if (sensors === null) return <Reasons module="sensors" />;
  const { temperatures, fans } = sensors;
  return (
    <div class="cards">
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
        <Reasons module="sensors" fields={['temperatures']} />
      </Card>
      <Card title="Fans">
        <ul class="pairs">
          {fans.map(({ key, name, label, speed_rpm }) => (
            <li key={key}>
              <span>{[name, label].filter(Boolean).join(' ')}</span>
              <span>{speed_rpm === null ? '–' : `${speed_rpm} rpm`}</span>
            </li>
          ))}
        </ul>
        <Reasons module="sensors" fields={['fans', 'fans[].speed_rpm']} />
      </Card>
    </div>
  );
}
