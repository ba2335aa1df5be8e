import { type ModuleOtlp, otlpGauge, otlpPoints } from '../../core/readings/otlp.ts';

export const sensorsOtlp = (): ModuleOtlp => ({
  metrics: (found) => [
    otlpGauge(
      'hw.temperature',
      'Cel',
      otlpPoints(found('hostler_temperature_celsius'), ({ sensor = '' }) => ({ 'hw.id': sensor })),
    ),
    otlpGauge(
      'hw.fan.speed',
      'rpm',
      otlpPoints(found('hostler_fan_speed_rpm'), ({ fan = '', name = '', label }) => ({
        'hw.id': fan,
        'hw.name': label || name,
      })),
    ),
  ],
});
