import type { ModulePayloads } from '@hostler/client/client.ts';
import { Quantity } from '../../components/quantity.tsx';
import { byDevice, sensorName } from '../../state/sensor-names.ts';
import { celsius } from '../../units.ts';

type Temperature = ModulePayloads['sensors']['temperatures'][number];

/** Temperatures under the names of what they are in; the key of the sensor on hover. */
export function TemperatureGroups({ temperatures, most }: { temperatures: readonly Temperature[]; most: number }) {
  return (
    <ul class="pairs">
      {byDevice(temperatures.slice(0, most)).flatMap(([device, sensors]) =>
        sensors.map(({ key, temperature, high }, index) => (
          <li key={key} class={high > 0 && temperature >= high ? 'hot' : ''}>
            <span title={key}>
              <span class={index === 0 ? '' : 'spoken'}>{device}</span>{' '}
              <span class="quiet">{sensors.length > 1 || index > 0 ? sensorName(key).channel : ''}</span>
            </span>
            <span>
              <Quantity text={celsius(temperature)} />
            </span>
          </li>
        )),
      )}
    </ul>
  );
}
