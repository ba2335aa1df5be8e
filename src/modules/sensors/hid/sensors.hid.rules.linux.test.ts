import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { hidFamilies } from './sensors.hid.families.ts';

const rules = fs.readFileSync(path.join(import.meta.dirname, '../../../../deploy/package/60-hostler.rules'), 'utf8');
const lines = rules.split('\n').filter((line) => line.startsWith('SUBSYSTEM=="hidraw"'));
const hex = (id: number) => id.toString(16).padStart(4, '0');

test('the udev rule of our packages names every device that is read', () => {
  for (const { vendor, products } of hidFamilies)
    for (const product of Object.keys(products).map(Number)) {
      const named = lines.some((line) => {
        const [, which] = /ATTRS\{idProduct\}=="([^"]*)"/.exec(line) ?? [];
        const isProduct = which === undefined || which.split('|').includes(hex(product));
        return line.includes(`ATTRS{idVendor}=="${hex(vendor)}"`) && isProduct;
      });
      expect([hex(vendor), hex(product), named]).toEqual([hex(vendor), hex(product), true]);
    }
});

test('the udev rule opens no other devices, such as keyboards', () => {
  expect(lines.filter((line) => !line.includes('ATTRS{idVendor}=='))).toEqual([]);
});
