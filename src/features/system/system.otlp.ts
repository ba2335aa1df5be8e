import { type ModuleOtlp, otlpGauge, otlpPoints } from '../../core/readings/otlp.ts';

export const systemOtlp = (): ModuleOtlp => ({
  metrics: (found, nowMs) => [
    otlpGauge(
      'system.uptime',
      's',
      otlpPoints(
        found('node_boot_time_seconds'),
        () => ({}),
        (boot) => Math.max(0, nowMs / 1000 - boot),
      ),
    ),
  ],
  beganMs(found) {
    const [boot] = found('node_boot_time_seconds');
    return boot === undefined ? null : boot.value * 1000;
  },
  resource(found) {
    const { uuid, hostname, platform, platform_version: version } = found('hostler_machine')[0]?.labels ?? {};
    return Object.fromEntries(
      Object.entries({
        // Without it, Prometheus takes the numbers of all machines for those of one.
        'service.instance.id': uuid,
        'host.id': uuid,
        'host.name': hostname,
        'os.name': platform,
        'os.version': version,
      }).flatMap(([key, value]) => (value ? [[key, value]] : [])),
    );
  },
});
