import { type ModuleOtlp, type OtlpAttributes, otlpCounter, otlpPoints, otlpSum } from '../../core/readings/otlp.ts';

export const networksOtlp = (): ModuleOtlp => ({
  metrics(found) {
    /** One convention calls the interface otherwise than its neighbours do. */
    const bothWays = (what: string, attribute = 'network.interface.name') =>
      (['receive', 'transmit'] as const).flatMap((direction) =>
        otlpPoints(found(`node_network_${direction}_${what}`), ({ device = '' }) => ({
          [attribute]: device,
          'network.io.direction': direction,
        })),
      );
    return [
      otlpCounter('system.network.io', 'By', bothWays('bytes')),
      otlpCounter('system.network.packet.count', '{packet}', bothWays('packets', 'system.device')),
      otlpCounter('system.network.packet.dropped', '{packet}', bothWays('drop')),
      otlpCounter('system.network.errors', '{error}', bothWays('errs')),
      otlpSum(
        'system.network.connection.count',
        '{connection}',
        otlpPoints(found('hostler_connections'), ({ status = '' }) => connectionOf(status)),
      ),
    ];
  },
});

/** The names of the conventions where the kernel's are others. */
const states: Record<string, string> = {
  CLOSE: 'closed',
  FIN_WAIT1: 'fin_wait_1',
  FIN_WAIT2: 'fin_wait_2',
  SYN_RECV: 'syn_received',
};

/** Sockets of UDP have no state. */
function connectionOf(status: string): OtlpAttributes {
  if (status === 'NONE') return { 'network.transport': 'udp' };
  return { 'network.transport': 'tcp', 'network.connection.state': states[status] ?? status.toLowerCase() };
}
