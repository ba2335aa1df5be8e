import { expect, test } from 'bun:test';
import { brokerUrl } from './broker-address.ts';

test.each([
  ['broker.example', 'mqtt://broker.example'],
  ['192.168.1.5:1884', 'mqtt://192.168.1.5:1884'],
  ['broker.example:8883', 'mqtts://broker.example:8883'],
  ['::1', 'mqtt://[::1]'],
  ['[fd00::2]:8883', 'mqtts://[fd00::2]:8883'],
  ['wss://broker.example/mqtt', 'wss://broker.example/mqtt'],
])('%s is %s', (typed, url) => {
  expect(brokerUrl(typed)).toBe(url);
});

test.each(['my broker', 'http://broker.example', 'broker:port', 'mqtt://', 'broker.example:99999'])(
  '%s is no address of a broker',
  (typed) => {
    expect(brokerUrl(typed)).toBeNull();
  },
);
