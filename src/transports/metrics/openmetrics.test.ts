import { describe, expect, test } from 'bun:test';
import { counter, gauge, info, type Metric, untyped } from '../../core/readings/metrics.ts';
import { metricsText, openMetrics, plainText } from './openmetrics.ts';

const openMetricsText = (metrics: Metric[]) => metricsText(metrics, openMetrics);

describe('the text format', () => {
  test('has type, help and an end marker', () => {
    expect(
      openMetricsText([
        counter('node_cpu_seconds', 'Time', [
          [{ cpu: '0', mode: 'idle' }, 1.5],
          [{ cpu: '0', mode: 'user' }, 0],
        ]),
        gauge('node_load1', 'Load', 0.25),
        info('hostler_build', 'The service', { version: '6.0.0' }),
      ]),
    ).toBe(`# TYPE node_cpu_seconds counter
# HELP node_cpu_seconds Time
node_cpu_seconds_total{cpu="0",mode="idle"} 1.5
node_cpu_seconds_total{cpu="0",mode="user"} 0
# TYPE node_load1 gauge
# HELP node_load1 Load
node_load1 0.25
# TYPE hostler_build info
# HELP hostler_build The service
hostler_build_info{version="6.0.0"} 1
# EOF
`);
  });

  test('in the older version has neither info nor unknown, and names the family like its series', () => {
    const metrics = [
      counter('node_forks', 'Started', 3),
      untyped('node_vmstat_oom_kill', 'Killed', 0),
      info('hostler_build', 'The service', { version: '6.0.0' }),
    ];
    expect(metricsText(metrics, plainText)).toBe(`# TYPE node_forks_total counter
# HELP node_forks_total Started
node_forks_total 3
# TYPE node_vmstat_oom_kill untyped
# HELP node_vmstat_oom_kill Killed
node_vmstat_oom_kill 0
# TYPE hostler_build_info gauge
# HELP hostler_build_info The service
hostler_build_info{version="6.0.0"} 1
`);
  });

  test('escapes labels', () => {
    const text = openMetricsText([gauge('x', 'X', [[{ at: 'a"b\\c\nd\ud800' }, 1]])]);
    expect(text.split('\n')[2]).toBe('x{at="a\\"b\\\\c\\nd\ufffd"} 1');
  });

  test('writes a series once', () => {
    const twice = gauge('x', 'X', [
      [{ at: '/' }, 1],
      [{ at: '/' }, 2],
    ]);
    expect(openMetricsText([twice]).match(/^x\{/gm)).toHaveLength(1);
  });

  test('leaves out unknown values and writes booleans as numbers', () => {
    expect(gauge('x', 'X', null).samples).toEqual([]);
    expect(gauge('x', 'X', false).samples).toEqual([{ labels: {}, value: 0 }]);
  });

  test.each([
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NaN, 'NaN'],
    [1e21, '1e+21'],
    [270_553_174_016, '270553174016'],
  ])('%d is written as %s', (value, text) => {
    expect(openMetricsText([gauge('x', 'X', value)])).toContain(`\nx ${text}\n`);
  });
});
