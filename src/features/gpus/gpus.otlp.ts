import { type ModuleOtlp, otlpGauge, otlpPoints, otlpSum } from '../../core/readings/otlp.ts';

export const gpusOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const each = (name: string, more = {}) =>
      otlpPoints(found(`hostler_gpu_${name}`), ({ gpu = '', name: model = '' }) => ({
        'hw.id': gpu,
        'hw.name': model,
        ...more,
      }));
    return [
      otlpGauge('hw.gpu.utilization', '1', each('load_ratio', { 'hw.gpu.task': 'general' })),
      otlpSum('hw.gpu.memory.usage', 'By', each('memory_used_bytes')),
      otlpSum('hw.gpu.memory.limit', 'By', each('memory_total_bytes')),
      otlpGauge('hw.gpu.power', 'W', each('power_watts')),
      otlpGauge('hw.temperature', 'Cel', each('temperature_celsius')),
    ];
  },
});
