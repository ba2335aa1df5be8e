import { expect, test } from 'bun:test';
import { machineAddress } from '../web/state/machine-address.ts';

const page = { hostname: '127.0.0.1', port: '9170', protocol: 'http:' };
const system = { ip_address_4: '192.0.2.7', ip_address_6: 'fd00::7' };

test.each(['127.0.0.1', 'localhost', '[::1]'])('a page at %s names the address that other machines use', (hostname) => {
  expect(machineAddress({ ...page, hostname }, system)).toEqual({
    hostname: '192.0.2.7',
    port: '9170',
    origin: 'http://192.0.2.7:9170',
  });
});

test('without IPv4 it is the IPv6 address, and without any the one of the page', () => {
  expect(machineAddress(page, { ...system, ip_address_4: '' }).origin).toBe('http://[fd00::7]:9170');
  expect(machineAddress(page, { ip_address_4: '', ip_address_6: '' }).origin).toBe('http://127.0.0.1:9170');
  expect(machineAddress(page, null).origin).toBe('http://127.0.0.1:9170');
});

test('a page from elsewhere keeps its name, with the port of its protocol', () => {
  expect(machineAddress({ hostname: 'desk.example', port: '', protocol: 'https:' }, system)).toEqual({
    hostname: 'desk.example',
    port: '443',
    origin: 'https://desk.example',
  });
});
