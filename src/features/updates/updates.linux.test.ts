import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeContext } from '../../../test/doubles/fake-host.ts';
import { collectReasons, machineHost, readOnce, testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import type { Run } from '../../host/processes/run.ts';
import type { ManagerState } from './linux/manager-state.ts';
import { scanPackages } from './linux/package-scan.ts';
import { managerPlaces, type PackageState, packages, placesSignature } from './linux/package-state.ts';
import { updatesLinux } from './updates.linux.ts';
import { updates } from './updates.ts';

testEachMachine('linux', import.meta.dirname, updates.module, updatesLinux, undefined, (host, _machine, root) => {
  setPart(host, packages, packagesIn(root));
});

/** Outputs of programs are files in `programs/<program>/<argument>`. */
function packagesIn(root: string): PackageState {
  const home = '/home/tester';
  const run: Run = async (program, args) => {
    const answers = args.map((arg) => path.join(root, 'programs', path.basename(program), arg));
    const file = answers.find((each) => fs.statSync(each, { throwIfNoEntry: false })?.isFile() === true);
    if (file === undefined) throw new Error(`${program} ${args.join(' ')} has no recorded answer`);
    const stdout = fs.readFileSync(file, 'utf8');
    return { exitCode: 0, signal: null, stdout, stderr: '', truncated: false, timedOut: false };
  };
  return {
    // The modification times of a checkout are arbitrary.
    scan: async () =>
      (await scanPackages({ roots: { all: root }, home, uid: 1000, run })).map((state) => ({
        ...state,
        checkedAtMs: state.checkedAtMs === null ? null : Date.UTC(2026, 0, 1),
      })),
    signature: () => placesSignature(managerPlaces(home).map((place) => `${root}${place}`)),
    follow: () => () => {},
  };
}

test('the empty payload matches the schema', async () => {
  expect((await updates.module.schema()).parse(updates.module.empty)).toEqual(updates.module.empty);
});

const apt: ManagerState = {
  name: 'apt',
  updates: 1,
  security: 0,
  packages: [],
  origins: [],
  checkedAtMs: null,
  problem: null,
  changes: null,
};

test('the lists are read again after a change of a manager, at most every five seconds, and every six hours', async () => {
  let signature = 'a';
  let scans = 0;
  const host = setPart(machineHost(import.meta.dirname), packages, {
    scan: async () => {
      scans += 1;
      return [apt];
    },
    signature: () => signature,
    follow: () => () => {},
  });
  const source = updatesLinux(host, fakeContext());
  const scansAfterRead = async () => {
    await readOnce(source, host.clock);
    return scans;
  };
  expect(await scansAfterRead()).toBe(1);
  host.clock.advance(60_000);
  expect(await scansAfterRead()).toBe(1);
  signature = 'b';
  host.clock.advance(4999);
  expect(await scansAfterRead()).toBe(1);
  host.clock.advance(1);
  expect(await scansAfterRead()).toBe(2);
  signature = 'c';
  host.clock.advance(4000);
  expect(await scansAfterRead()).toBe(2);
  host.clock.advance(1000);
  expect(await scansAfterRead()).toBe(3);
  host.clock.advance(6 * 60 * 60 * 1000 - 1000);
  expect(await scansAfterRead()).toBe(3);
  host.clock.advance(1000);
  expect(await scansAfterRead()).toBe(4);
});

test('an announced change is looked at immediately', async () => {
  let signature = 'a';
  let pending = apt;
  let announce = () => {};
  const host = setPart(machineHost(import.meta.dirname), packages, {
    scan: async () => [pending],
    signature: () => signature,
    follow: (changed) => {
      announce = changed;
      return () => {};
    },
  });
  const source = updatesLinux(host, fakeContext());
  source.watch?.(() => {});
  await readOnce(source, host.clock);
  host.clock.advance(60_000);
  expect((await readOnce(source, host.clock)).payload?.updates).toBe(1);
  signature = 'b';
  pending = { ...apt, updates: 2 };
  expect((await readOnce(source, host.clock)).payload?.updates).toBe(1);
  announce();
  expect((await readOnce(source, host.clock)).payload?.updates).toBe(2);
});

test('a manager that did not answer is queried again after half an hour', async () => {
  let scans = 0;
  const host = setPart(machineHost(import.meta.dirname), packages, {
    scan: async () => {
      scans += 1;
      return [scans === 1 ? { ...apt, updates: null, security: null, problem: 'it took too long' } : apt];
    },
    signature: () => '',
    follow: () => () => {},
  });
  const source = updatesLinux(host, fakeContext());
  expect((await readOnce(source, host.clock)).payload?.updates).toBeNull();
  host.clock.advance(30 * 60 * 1000 - 1);
  expect((await readOnce(source, host.clock)).payload?.updates).toBeNull();
  host.clock.advance(1);
  expect((await readOnce(source, host.clock)).payload?.updates).toBe(1);
  host.clock.advance(30 * 60 * 1000);
  await readOnce(source, host.clock);
  expect(scans).toBe(2);
});

test('a failed scan is reported, and retried after five minutes, not at every read', async () => {
  let scans = 0;
  let signature = 'a';
  const host = setPart(machineHost(import.meta.dirname), packages, {
    scan: async () => {
      scans += 1;
      if (scans === 1) throw new Error('the disk is on fire');
      return [apt];
    },
    signature: () => signature,
    follow: () => () => {},
  });
  const source = updatesLinux(host, fakeContext());
  await expect(readOnce(source, host.clock)).rejects.toThrow('on fire');
  signature = 'b';
  host.clock.advance(5 * 60 * 1000 - 1);
  await expect(readOnce(source, host.clock)).rejects.toThrow('on fire');
  expect(scans).toBe(1);
  host.clock.advance(1);
  expect((await readOnce(source, host.clock)).payload?.updates).toBe(1);
  expect(scans).toBe(2);
});

test('concurrent reads share one scan', async () => {
  const { promise, resolve } = Promise.withResolvers<ManagerState[]>();
  let scans = 0;
  const host = setPart(machineHost(import.meta.dirname), packages, {
    scan: () => {
      scans += 1;
      return promise;
    },
    signature: () => '',
    follow: () => () => {},
  });
  const source = updatesLinux(host, fakeContext());
  const { reasons } = collectReasons();
  const both = Promise.all([source.read(reasons), source.read(reasons)]);
  resolve([apt]);
  expect((await both).map((payload) => payload?.updates)).toEqual([1, 1]);
  expect(scans).toBe(1);
});
