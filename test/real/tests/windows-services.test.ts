// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Process } from '../../../src/features/processes/processes.schema.ts';
import type { Services } from '../../../src/features/services/services.schema.ts';
import { postJson, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('services of the Windows build under Wine', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    const folder = '"$0/w/pfx/drive_c/users/root/AppData/Local/hostler"';
    const settings = JSON.stringify({ services: { allowlist: ['Spooler', 'BITS', 'Gone'] } });
    hostler = await startWineHostler({
      mounts: [`mkdir -p ${folder}`, `printf %s '${settings}' > ${folder}/settings.json`],
    });
  });
  afterAll(() => hostler.stop());

  const services = async () => (await (await hostler.get('/api/data/services')).json()) as Services;
  const unit = async (name: string) => (await services()).units.find((known) => known.name === name);
  const order = async (verb: string, name: string) => {
    const answer = await postJson(hostler, `/api/service/${verb}`, { unit: name });
    return { status: answer.status, text: await answer.text() };
  };
  /** What Wine's own tool says of it. */
  const witness = async (name: string) => /STATE\s*:\s*(\d)/.exec(await hostler.beside(`wine sc query ${name}`))?.[1];

  test('match those of Wine, with their processes', async () => {
    const { manager, units, counts } = await services();
    expect(manager).toBe('windows');
    expect(counts.active).toBeGreaterThan(0);
    const running = units.find(({ name }) => name === 'RpcSs');
    expect(running).toMatchObject({ active_state: 'active', enabled: 'manual', allowed: false });
    const processes = (await (await hostler.get('/api/data/processes')).json()) as Process[];
    expect(processes.find(({ id }) => id === running?.main_pid)?.name).toMatch(/\.exe$/);
    expect(units.find(({ name }) => name === 'Spooler')).toMatchObject({ allowed: true, active_state: 'inactive' });
  });

  test('are controlled, as another program confirms', async () => {
    expect(await witness('Spooler')).toBe('1');
    expect((await order('start', 'Spooler')).status).toBe(200);
    expect(await witness('Spooler')).toBe('4');
    const before = (await unit('Spooler'))?.main_pid;
    expect((await order('restart', 'Spooler')).status).toBe(200);
    await until(async () => ((await unit('Spooler'))?.main_pid !== before ? true : null));
    expect((await order('stop', 'Spooler')).status).toBe(200);
    expect(await witness('Spooler')).toBe('1');
  });

  test('are enabled and disabled', async () => {
    expect((await order('enable', 'BITS')).text).toContain('"enabled":"enabled"');
    const key = 'HKLM\\\\SYSTEM\\\\CurrentControlSet\\\\Services\\\\BITS';
    expect(await hostler.beside(`wine reg query ${key} /v Start`)).toContain('0x2');
    expect((await order('disable', 'BITS')).text).toContain('"enabled":"manual"');
  });

  test.each([
    ['RpcSs', 403, 'is not in services.allowlist'],
    ['Gone', 404, 'There is no service Gone'],
    ['..\\Spooler', 400, 'unit'],
    ['Spooler\n', 400, 'unit'],
  ])('that are protected are refused: %j', async (name, status, sentence) => {
    const refused = await order('stop', name);
    expect(refused.status).toBe(status);
    expect(refused.text).toContain(sentence);
  });

  test('that change are pushed to listeners at once', async () => {
    const client = await connectSocket(hostler);
    const activeIn = (data: unknown) =>
      (data as Services).units.some(({ name, active_state }) => name === 'Spooler' && active_state === 'active');
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['services'] });
    await client.until(({ module }) => module === 'services', 'the first services');
    await hostler.beside('wine net start Spooler');
    await client.until(({ module, data }) => module === 'services' && activeIn(data), 'the service that was started');
    client.end();
  });

  test('are listed and controlled by the commands of Windows, in any case', async () => {
    expect(await hostler.beside('wine hostler.exe services')).toContain('Print Spooler');
    expect(await hostler.beside('wine hostler.exe services stop spooler')).toContain('Spooler was stopped');
    expect(await witness('Spooler')).toBe('1');
  });

  test('are counted under the names of windows_exporter', async () => {
    const text = await (await hostler.get('/metrics')).text();
    expect(text).toContain('windows_service_state{name="RpcSs",state="running"} 1');
    expect(text).not.toContain('node_systemd');
  });
});
