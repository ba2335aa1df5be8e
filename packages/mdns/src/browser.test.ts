import { expect, spyOn, test } from 'bun:test';
import { createBrowser } from './browser.ts';
import { addressRecord, encodeMessage, pairsData, pointerData, serviceData } from './dns.encode.ts';
import { type DnsName, type DnsRecord, emptyMessage, recordTypes } from './dns.ts';

const type = ['_printer', '_tcp', 'local'];
const record = (name: DnsName, kind: number, data: Uint8Array, ttl = 120): DnsRecord => ({
  name,
  type: kind,
  unique: false,
  ttl,
  data,
});
const pointer = (instance: string, ttl = 120) => record(type, recordTypes.PTR, pointerData([instance, ...type]), ttl);
const service = (instance: string, target: string) =>
  record([instance, ...type], recordTypes.SRV, serviceData(9100, [target, 'local']));
const text = (instance: string) => record([instance, ...type], recordTypes.TXT, pairsData({ id: instance }));
const address = (target: string, at = '10.0.0.1') => addressRecord([target, 'local'], at, 120) as DnsRecord;

function browse() {
  const browser = createBrowser([type], async () => {});
  const tell = (answers: DnsRecord[]) => browser.receive(encodeMessage({ ...emptyMessage, isResponse: true, answers }));
  return { browser, tell };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('details of a withdrawn service are not kept', () => {
  const { browser, tell } = browse();
  tell([pointer('box'), service('box', 'host'), text('box'), address('host')]);
  expect(browser.found()).toMatchObject([{ port: 9100, addresses: ['10.0.0.1'], pairs: new Map([['id', 'box']]) }]);
  tell([pointer('box', 0)]);
  expect(browser.found()).toEqual([]);
  tell([pointer('box')]);
  expect(browser.found()).toMatchObject([{ port: null, addresses: [], pairs: new Map() }]);
});

test('a packet of foreign addresses costs the same with a thousand services as with none', () => {
  const { tell } = browse();
  for (const page of numbers(20))
    tell(
      numbers(50).flatMap((index) => [pointer(`${page}-${index}`), service(`${page}-${index}`, `${page}-${index}`)]),
    );
  const lowered = spyOn(String.prototype, 'toLowerCase');
  tell(numbers(250).map((index) => address(`x${index}`)));
  const calls = lowered.mock.calls.length;
  lowered.mockRestore();
  expect(calls).toBeLessThan(2000);
});

test('a service that changes its host again and again does not fill the memory', () => {
  const { browser, tell } = browse();
  tell([pointer('box')]);
  for (const index of numbers(1001)) tell([service('box', `host-${index}`), address(`host-${index}`)]);
  expect(browser.found()).toMatchObject([{ host: ['host-1000', 'local'], addresses: [] }]);
  tell([service('box', 'host-999')]);
  expect(browser.found()).toMatchObject([{ addresses: ['10.0.0.1'] }]);
});

test('a host has sixteen addresses at most', () => {
  const { browser, tell } = browse();
  tell([pointer('box'), service('box', 'host'), ...numbers(20).map((index) => address('host', `10.0.0.${index}`))]);
  expect(browser.found()[0]?.addresses).toEqual(numbers(16).map((index) => `10.0.0.${index}`));
});
