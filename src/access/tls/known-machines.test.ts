import { expect, test } from 'bun:test';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { Paths } from '../../host/paths.ts';
import { openKnownMachines } from './known-machines.ts';

const box = { uuid: 'u1', address: 'https://10.0.0.1:9171', fingerprint: 'AA', certificate: 'pem' };

function open(contents: Record<string, string> = {}) {
  return openKnownMachines(fakeHost({ storage: memoryStorage(contents), paths: { state: '/state' } as Paths }));
}

test('a machine is recognised by its name and by its address', () => {
  const machines = open();
  expect(machines.find(box)).toBeNull();
  machines.remember(box);
  expect(machines.find({ uuid: 'u1', address: 'https://10.0.0.9:9171' })).toEqual(box);
  expect(machines.find({ uuid: '', address: box.address })).toEqual(box);
  expect(machines.find({ uuid: 'u2', address: 'https://10.0.0.9:9171' })).toBeNull();
});

test('a new entry replaces the known one, and machines without a name stay separate', () => {
  const machines = open();
  machines.remember({ ...box, uuid: '' });
  machines.remember({ ...box, uuid: '', address: 'https://10.0.0.2:9171', fingerprint: 'BB' });
  machines.remember({ ...box, fingerprint: 'CC' });
  expect(machines.find({ uuid: '', address: box.address })?.fingerprint).toBe('CC');
  expect(machines.find({ uuid: '', address: 'https://10.0.0.2:9171' })?.fingerprint).toBe('BB');
});

test('a machine with the name of one entry and the address of another matches both', () => {
  const machines = open();
  const other = { uuid: 'u2', address: 'https://10.0.0.2:9171', fingerprint: 'BB', certificate: 'pem' };
  machines.remember(box);
  machines.remember(other);
  expect(machines.alike({ uuid: 'u2', address: box.address })).toEqual([box, other]);
});

test('an announcement drops no known name, fingerprint or entry', () => {
  const machines = open();
  machines.remember(box);
  machines.learn({ ...box, uuid: 'claimed' });
  machines.learn({ ...box, uuid: '' });
  machines.learn({ ...box, address: 'https://10.0.0.9:9171', fingerprint: 'BB' });
  expect(machines.alike(box)).toEqual([box]);
  const many = Array.from({ length: 1000 }, (_, index) => ({
    ...box,
    uuid: `n${index}`,
    address: `https://n${index}`,
  }));
  const full = open({ '/state/known-machines.json': JSON.stringify(many) });
  expect(full.learn({ ...box, announced: true })).toBe(false);
  expect(full.find(many[0] ?? box)).toEqual(many[0] ?? box);
});

test('an announcement at another address leaves the address that the user trusts', () => {
  const machines = open();
  machines.remember(box);
  const passedOn = { ...box, address: 'https://10.0.0.9:9171', announced: true };
  expect(machines.learn(passedOn)).toBe(true);
  expect(machines.alike({ uuid: '', address: box.address })).toEqual([box]);
  expect(machines.alike(box)).toEqual([box, passedOn]);
  // What was only announced moves.
  machines.learn({ ...passedOn, address: 'https://10.0.0.10:9171' });
  expect(machines.alike(box)).toEqual([box, { ...passedOn, address: 'https://10.0.0.10:9171' }]);
});

const place = (index: number) => ({ ...box, uuid: `n${index}`, address: `https://n${index}`, fingerprint: `${index}` });

test('a machine that the user paired or trusts takes the place of one that was only announced', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({ ...place(index), announced: index === 500 }));
  for (const add of ['remember', 'learn'] as const) {
    const full = open({ '/state/known-machines.json': JSON.stringify(many) });
    full[add](box);
    expect(full.find(box)).toMatchObject(box);
    expect([0, 500, 999].map((index) => full.find(place(index)) !== null)).toEqual([true, false, true]);
  }
});

test('announcements add eight machines at one address, and what was paired stays so', () => {
  const machines = open();
  const at = (port: number) => ({ ...place(port), address: `https://10.0.0.1:${port}`, announced: true });
  expect(Array.from({ length: 9 }, (_, index) => machines.learn(at(index + 1)))).toEqual([
    ...Array(8).fill(true),
    false,
  ]);
  expect(machines.learn({ ...at(9), announced: false })).toBe(true);
  machines.learn({ ...at(9), address: 'https://10.0.0.2:9' });
  expect(machines.find(at(9))).toMatchObject({ address: 'https://10.0.0.1:9', announced: false });
});

test('an announcement adds a new machine, its name, and its new address', () => {
  const machines = open();
  machines.learn({ ...box, uuid: '' });
  machines.learn(box);
  const moved = { ...box, address: 'https://10.0.0.9:9171' };
  machines.learn(moved);
  expect(machines.alike(box)).toEqual([moved]);
});

test('a forgotten machine is unknown, and the others stay', () => {
  const machines = open();
  const other = { ...box, uuid: 'u2', address: 'https://10.0.0.2:9171' };
  machines.remember(box);
  machines.remember(other);
  expect(machines.forget('https://10.0.0.3:9171')).toBe(false);
  expect(machines.forget(box.address)).toBe(true);
  expect(machines.alike(box)).toEqual([]);
  expect(machines.alike(other)).toEqual([other]);
});

test('malformed entries are skipped', () => {
  const machines = open({ '/state/known-machines.json': '[{"uuid": "u1"}, null, 7]' });
  expect(machines.find(box)).toBeNull();
});
