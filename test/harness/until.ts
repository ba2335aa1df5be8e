export { until } from '@hostler/io/testing/until.ts';
