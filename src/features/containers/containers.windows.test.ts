import { expect, test } from 'bun:test';
import { fakeEngine, inspected } from '../../../test/doubles/fake-engine.ts';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { readOnce, unexplained } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { SocketPlace } from './containers.contract.ts';
import { containers } from './containers.ts';
import { containersWindows } from './containers.windows.ts';
import { enginePipes } from './engine-pipes.windows.ts';

const id = 'b2'.repeat(32);
const docker = '\\\\.\\pipe\\docker_engine';

function machine(place: SocketPlace) {
  const engine = fakeEngine({
    'GET /containers/json?all=1': { body: [{ Id: id }] },
    [`GET /containers/${id}/json`]: { body: inspected(id, 'web') },
  });
  const pipes = {
    lookUp: async (pipe: string): Promise<SocketPlace> => (pipe === docker ? place : { kind: 'absent' }),
    connect: engine.connect,
  };
  const host = fakeHost({ platform: 'windows' } as never);
  const windows = setPart(host as unknown as WindowsHost, enginePipes, pipes);
  const source = containersWindows(windows, fakeContext());
  return { engine, source, read: () => readOnce(source, host.clock) };
}

test('the containers of an engine at its pipe are listed, and every null has a reason', async () => {
  const { read, source, engine } = machine({ kind: 'socket', path: docker });
  const { payload, reasons } = await read();
  (await containers.module.schema()).parse(payload);
  expect(payload?.engines).toMatchObject([{ id: 'docker', socket: docker, reachable: true }]);
  expect(payload?.containers).toMatchObject([{ name: 'web', state: 'running', memory_used: null }]);
  expect(unexplained(payload, reasons)).toEqual([]);
  source.close?.();
  expect(engine.followers()).toBe(0);
});

test.each([
  [{ kind: 'absent' }, 'engines'],
  [{ kind: 'refused', problem: 'it was created by another user (S-1-5-21-9)' }, 'engines[].version'],
] as const)('no request is sent to a pipe that is %p', async (place, field) => {
  const { read, engine, source } = machine(place);
  const { payload, reasons } = await read();
  expect(payload?.containers).toEqual([]);
  expect(engine.requests).toEqual([]);
  expect(unexplained(payload, reasons)).toEqual([]);
  expect(reasons.map((reason) => reason.field)).toContain(field);
  source.close?.();
});
