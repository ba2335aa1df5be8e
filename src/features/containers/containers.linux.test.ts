import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { type FakeResponse, fakeEngine, socketsOf } from '../../../test/doubles/fake-engine.ts';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import { containersLinux } from './containers.linux.ts';
import { containers } from './containers.ts';
import { socketLookup } from './linux/engine-sockets.ts';

type Described = Record<string, FakeResponse> | 'denied' | 'refused' | 'silent';

/** Fake engines that answer from the engines.json of a machine. */
function enginesOf(machine: string) {
  const file = path.join(import.meta.dirname, 'fixtures', 'linux', machine, 'engines.json');
  const described: Record<string, Described> = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  return socketsOf(Object.fromEntries(Object.entries(described).map(([socket, engine]) => [socket, standIn(engine)])));
}

function standIn(engine: Described) {
  if (engine === 'refused') return { kind: 'refused' as const, problem: 'it is not a socket' };
  if (engine === 'silent') return fakeEngine({ 'GET /version': () => null });
  if (engine !== 'denied') return fakeEngine(engine);
  return {
    connect: async () => {
      throw Object.assign(new Error('connect EACCES'), { code: 'EACCES' });
    },
  };
}

testEachMachine('linux', import.meta.dirname, containers.module, containersLinux, enginesOf, (host, machine) => {
  setPart(host, socketLookup, enginesOf(machine).lookUp);
});

test('the empty payload is valid', async () => {
  expect((await containers.module.schema()).parse(containers.module.empty)).toEqual(containers.module.empty);
});
