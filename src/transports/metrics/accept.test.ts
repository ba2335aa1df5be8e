import { expect, test } from 'bun:test';
import { takesGzip } from '../../lib/quality-values.ts';
import { formatFor } from './accept.ts';
import { openMetrics, plainText } from './openmetrics.ts';

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

test.each([
  [null, openMetrics],
  ['*/*', openMetrics],
  ['', openMetrics],
  ['nonsense;;q=x,,', openMetrics],
  [prometheus2, openMetrics],
  [prometheus3, openMetrics],
  ['text/plain', plainText],
  ['TEXT/Plain; version=0.0.4', plainText],
  ['text/plain;version=0.0.4;q=1,*/*;q=0.1', plainText],
  ['text/plain;q=0.3, application/openmetrics-text;q=0.2', plainText],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', openMetrics],
])('Accept %p selects %p', (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

test.each([
  [null, false],
  ['gzip', true],
  ['deflate, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['*, gzip;q=0', false],
  ['br', false],
])('Accept-Encoding %p takes gzip: %p', (acceptEncoding, takes) => {
  expect(takesGzip(acceptEncoding)).toBe(takes);
});
