import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { hidFamilies } from './sensors.hid.families.ts';

const rules = fs.readFileSync(path.join(import.meta.dirname, '../../../../deploy/package/60-hostler.rules'), 'utf8');
const lines = rules.split('\n').filter((line) => line.startsWith('SUBSYSTEM=="hidraw"'));
const hex = (id: number) => id.toString(16).padStart(4, '0');

const inRules = lines.flatMap((line) => {
  const [, vendor] = /ATTRS\{idVendor\}=="([0-9a-f]{4})"/.exec(line) ?? [];
  const [, products] = /ATTRS\{idProduct\}=="([0-9a-f|]+)"/.exec(line) ?? [];
  return (products ?? 'every product').split('|').map((product) => `${vendor}:${product}`);
});

test('the udev rules of the packages name exactly the supported devices', () => {
  const read = hidFamilies.flatMap(({ vendor, products }) =>
    Object.keys(products).map((product) => `${hex(vendor)}:${hex(Number(product))}`),
  );
  expect(inRules.sort()).toEqual(read.sort());
});

test('no udev rule of the packages lets programs of a user read or inject input', () => {
  const granting = rules.split('\n').filter((line) => /TAG\+=|MODE|GROUP|RUN/.test(line) && !line.startsWith('#'));
  const kinds = granting.map((line) => /SUBSYSTEM=="([^"]*)"/.exec(line)?.[1]);
  expect([...new Set(kinds)].sort()).toEqual(['backlight', 'hidraw', 'i2c-dev']);
});
