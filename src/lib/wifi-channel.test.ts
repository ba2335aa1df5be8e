import { expect, test } from 'bun:test';
import { wifiBandOf, wifiChannelOf, wifiSignalPercent } from './wifi-channel.ts';

test.each<[number, string | null, number | null]>([
  [2412, '2.4 GHz', 1],
  [2472, '2.4 GHz', 13],
  [2484, '2.4 GHz', 14],
  [4920, '5 GHz', 184],
  [5180, '5 GHz', 36],
  [5825, '5 GHz', 165],
  [5955, '6 GHz', 1],
  [7115, '6 GHz', 233],
  [58_320, '60 GHz', 1],
  [2413, '2.4 GHz', null],
  [920, null, null],
  [0, null, null],
])('%d MHz is in the band %p, channel %p', (megahertz, band, channel) => {
  expect(wifiBandOf(megahertz)).toBe(band as never);
  expect(wifiChannelOf(megahertz)).toBe(channel as never);
});

test.each([
  [-30, 100],
  [-50, 100],
  [-67, 66],
  [-100, 0],
  [-120, 0],
])('%d dBm is %d %%', (dbm, percent) => {
  expect(wifiSignalPercent(dbm)).toBe(percent);
});
