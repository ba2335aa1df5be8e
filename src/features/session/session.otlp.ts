import { type ModuleOtlp, otlpPoints, otlpWholeGauge } from '../../core/readings/otlp.ts';

/** OpenTelemetry has no names for these yet: they are ours. */
export const sessionOtlp = (): ModuleOtlp => ({
  metrics: (found) => [
    otlpWholeGauge('hostler.session.idle', '1', otlpPoints(found('hostler_session_idle'))),
    otlpWholeGauge('hostler.session.locked', '1', otlpPoints(found('hostler_session_locked'))),
    otlpWholeGauge('hostler.session.on_battery', '1', otlpPoints(found('hostler_session_on_battery'))),
    otlpWholeGauge('hostler.session.lid_closed', '1', otlpPoints(found('hostler_session_lid_closed'))),
  ],
});
