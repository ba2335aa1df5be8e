// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Containers } from '../../../src/features/containers/containers.schema.ts';
import { postJson, root, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('containers of the Windows build, against a stand-in for Docker Desktop', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    const folder = '"$0/w/pfx/drive_c/users/root/AppData/Local/hostler"';
    const settings = JSON.stringify({ containers: { allowlist: ['web', 'gone'] } });
    const engine = fs.readFileSync(path.join(root, 'test', 'real', 'doubles', 'pipe-engine.js')).toString('base64');
    hostler = await startWineHostler({
      mounts: [
        `mkdir -p ${folder}`,
        `printf %s '${settings}' > ${folder}/settings.json`,
        `echo ${engine} | base64 -d > "$0/w/pfx/drive_c/pipe-engine.js"`,
      ],
    });
  });
  afterAll(() => hostler.stop());

  const containers = async () => (await (await hostler.get('/api/data/containers')).json()) as Containers;
  const order = async (verb: string, name: string) => {
    const answer = await postJson(hostler, `/api/container/${verb}`, { name });
    return { status: answer.status, text: await answer.text() };
  };

  test('are empty where no engine runs, and actions say so', async () => {
    expect(await containers()).toEqual({ engines: [], containers: [] });
    const refused = await order('stop', 'web');
    expect([refused.status, refused.text]).toEqual([501, expect.stringContaining('No pipe of Docker Desktop')]);
  });

  test('are found at the pipe of the engine, and followed', async () => {
    // The program is the runtime as well.
    await hostler.beside('(BUN_BE_BUN=1 wine hostler.exe "C:\\\\pipe-engine.js" > /tmp/engine.txt 2>&1 &); sleep 0.1');
    await until(async () => ((await hostler.beside('cat /tmp/engine.txt')).includes('engine listens') ? true : null));
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['containers'] });
    const shows = (state: string) => (message: { module?: string; data: unknown }) =>
      message.module === 'containers' &&
      (message.data as Containers).containers.some((one) => one.name === 'web' && one.state === state);
    const { data } = await client.until(shows('running'), 'the container');
    const { engines, containers: found } = data as Containers;
    expect(engines).toMatchObject([{ id: 'docker', version: '27.0.1', reachable: true }]);
    expect(engines[0]?.socket).toBe('\\\\.\\pipe\\docker_engine');
    expect(found[0]).toMatchObject({ image: 'nginx:1', cpu_usage: null, ports: [{ host_port: 8080 }] });
    expect((await order('stop', 'web')).status).toBe(200);
    await client.until(shows('exited'), 'the stopped container');
    client.end();
  });

  test('are controlled if they are on the list, and only then', async () => {
    expect((await order('start', 'web')).text).toContain('is running');
    expect((await order('start', 'other')).status).toBe(403);
    expect((await order('start', 'gone')).status).toBe(404);
  });
});
