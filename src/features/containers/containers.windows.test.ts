import { expect, test } from 'bun:test';
import { fakeEngine, inspected } from '../../../test/doubles/fake-engine.ts';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { nativeOf } from '../../../test/doubles/recorded-native.ts';
import { readOnce, unexplained } from '../../../test/harness/machines.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { containers } from './containers.ts';
import { containersWindows } from './containers.windows.ts';

const id = 'b2'.repeat(32);
const own = 'S-1-5-21-1';
const docker = '\\\\.\\pipe\\docker_engine';

function machine(owner: string | null) {
  const engine = fakeEngine({
    'GET /containers/json?all=1': { body: [{ Id: id }] },
    [`GET /containers/${id}/json`]: { body: inspected(id, 'web') },
  });
  const rights = { pipeOwner: (pipe: string) => (pipe === docker && owner !== null ? { owner, process: 1 } : null) };
  const native = nativeOf({ advapi32: { ownSid: () => own }, rights });
  const host = fakeHost({ platform: 'windows', native, connectLocal: engine.connect } as never);
  const windows = host as unknown as WindowsHost;
  const source = containersWindows(windows, fakeContext());
  return { engine, source, read: () => readOnce(source, host.clock) };
}

test('the containers of an engine at its pipe are listed, and every null has a reason', async () => {
  const { read, source, engine } = machine(own);
  const { payload, reasons } = await read();
  (await containers.module.schema()).parse(payload);
  expect(payload?.engines).toMatchObject([{ id: 'docker', socket: docker, reachable: true }]);
  expect(payload?.containers).toMatchObject([{ name: 'web', state: 'running', memory_used: null }]);
  expect(unexplained(payload, reasons)).toEqual([]);
  source.close?.();
  expect(engine.followers()).toBe(0);
});

test.each([
  [null, 'engines'],
  ['S-1-5-21-9', 'engines[].version'],
])('no request is sent to a pipe that belongs to %p', async (owner, field) => {
  const { read, engine, source } = machine(owner);
  const { payload, reasons } = await read();
  expect(payload?.containers).toEqual([]);
  expect(engine.requests).toEqual([]);
  expect(unexplained(payload, reasons)).toEqual([]);
  expect(reasons.map((reason) => reason.field)).toContain(field);
  source.close?.();
});
