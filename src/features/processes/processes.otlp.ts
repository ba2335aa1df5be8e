import { type ModuleOtlp, otlpCounter, otlpPoints, otlpSum } from '../../core/readings/otlp.ts';

export const processesOtlp = (): ModuleOtlp => ({
  metrics(found) {
    const numbers = new Map<string, number>();
    for (const { labels, value } of found('hostler_processes')) {
      const state = states[labels.status ?? ''] ?? 'sleeping';
      numbers.set(state, (numbers.get(state) ?? 0) + value);
    }
    const counts = [...numbers].map(([state, value]) => ({ attributes: { 'process.state': state }, value }));
    return [
      otlpSum('system.process.count', '{process}', counts),
      otlpCounter('system.process.created', '{process}', otlpPoints(found('node_forks'))),
    ];
  },
});

/** The conventions know four states; every other one of ours is a kind of waiting. */
const states: Record<string, string> = {
  running: 'running',
  stopped: 'stopped',
  'tracing-stop': 'stopped',
  zombie: 'defunct',
  dead: 'defunct',
};
