import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { fakeHost, noBus } from '../../../../test/doubles/fake-host.ts';
import { fakeSystemd } from '../../../../test/doubles/fake-systemd.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import type { Moment } from '../../../core/readings/history.ts';
import { servicesHistoryLinux } from './services.sampler.ts';

function machine(failed: Record<string, number>) {
  const files = machineFiles({ '/run/systemd/units/invocation:a.service': '' });
  const system = fakeSystemd(
    Object.fromEntries(
      Object.entries(failed).map(([name, seconds]) => [
        name,
        { properties: { InactiveEnterTimestamp: seconds * 1e6 } },
      ]),
    ),
  );
  system.answers.GetUnit = ({ body = [] }) => [system.pathOf(String(body[0]))];
  let queries = 0;
  const host = fakeHost({
    files,
    dbus: { system, session: noBus },
    failedUnits: async () => {
      queries += 1;
      return { units: [...system.units.keys()], reasons: [] };
    },
  });
  const sampler = servicesHistoryLinux(host);
  const sample = async () => {
    const sets: string[][] = [];
    await sampler.sample({ members: (_set: string, names: readonly string[]) => void sets.push([...names]) } as Moment);
    return sets;
  };
  let at = 1000;
  const touchUnits = () => {
    at += 1;
    fs.utimesSync(path.join(files.root, 'run/systemd/units'), at, at);
  };
  return { sample, touchUnits, queries: () => queries, system, host };
}

test('without unit changes systemd is not queried', async () => {
  const { sample, queries, system } = machine({ 'old.service': 1 });
  expect(await sample()).toEqual([]);
  expect(await sample()).toEqual([]);
  expect([queries(), system.calls.length]).toEqual([0, 0]);
});

test('a unit that failed before the start is no event; one that fails later is', async () => {
  const now = Date.UTC(2026, 0, 1) / 1000;
  const { sample, touchUnits } = machine({ 'old.service': now - 100, 'new.service': now + 5 });
  touchUnits();
  expect(await sample()).toEqual([['old.service'], ['old.service', 'new.service']]);
  touchUnits();
  expect(await sample()).toEqual([['old.service', 'new.service']]);
});
