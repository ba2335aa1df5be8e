import { type ModuleOtlp, otlpCounter, otlpPoints, otlpSeconds, otlpSum } from '../../core/readings/otlp.ts';

/** https://opentelemetry.io/docs/specs/semconv/system/container-metrics/ */
export const containersOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const each = (name: string, more = {}) =>
      otlpPoints(found(`container_${name}`), ({ id = '', name: called = '', image = '', engine = '' }) => ({
        'container.id': id,
        'container.name': called,
        'container.image.name': image,
        'container.runtime.name': engine,
        ...more,
      }));
    return [
      otlpSeconds('container.cpu.time', 's', each('cpu_usage_seconds')),
      otlpSum('container.memory.usage', 'By', each('memory_usage_bytes')),
      otlpSum('container.memory.working_set', 'By', each('memory_working_set_bytes')),
      otlpCounter('container.network.io', 'By', [
        ...each('network_receive_bytes', { 'network.io.direction': 'receive' }),
        ...each('network_transmit_bytes', { 'network.io.direction': 'transmit' }),
      ]),
      otlpCounter('container.disk.io', 'By', [
        ...each('fs_reads_bytes', { 'disk.io.direction': 'read' }),
        ...each('fs_writes_bytes', { 'disk.io.direction': 'write' }),
      ]),
    ];
  },
});
