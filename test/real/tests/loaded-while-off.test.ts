import { expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { postJson, root, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

/** What only a setting that is off by default needs. */
const optional = [
  'src/alerts/engine.ts',
  'src/alerts/notifiers.ts',
  'src/alerts/targets/',
  'src/features/battery/nut/',
  'src/transports/glances/',
  'src/transports/mqtt/session.ts',
  'src/transports/otlp/start.ts',
  'packages/mqtt/',
];
/** It has the routes, and loads the rest with the first request. */
const always = 'src/transports/glances/glances.transport.ts';

test('a service with default settings loads no code of Glances, alert targets, UPSes and brokers, also while it is read', async () => {
  const preload = path.join(root, 'test', 'real', 'doubles', 'loaded-files.js');
  const list = (directory: string) => path.join(directory, 'loaded');
  const directory = fs.mkdtempSync(path.join(fs.realpathSync(process.env.TMPDIR ?? '/tmp'), 'hostler-'));
  await using hostler = await startHostler({ preload, directory, env: { LOADED_FILES: list(directory) } });
  const loaded = () =>
    fs
      .readFileSync(list(directory), 'utf8')
      .trim()
      .split('\n')
      .map((file) => path.relative(root, file));
  const optionalLoaded = () =>
    loaded().filter((file) => file !== always && optional.some((prefix) => file.startsWith(prefix)));

  for (const route of [
    '/',
    '/metrics',
    '/api/alerts',
    '/api/data/battery',
    '/api/data/cpu',
    '/api/4/all',
    '/api/modules',
  ])
    await (await hostler.get(route)).arrayBuffer();
  expect(loaded()).toContain('src/features/battery/battery.ts');
  expect(optionalLoaded()).toEqual([]);

  // The same list, once everything is on. The running service notices the changed file.
  const settings = {
    glances: { enabled: true },
    battery: { nut: '127.0.0.1:1' },
    mqtt: { url: 'mqtt://127.0.0.1:1' },
    otlp: { endpoint: 'http://127.0.0.1:1' },
    alerts: { rules: [{ id: 'full', when: { series: 'memory', above: 99 }, notify: ['phone'] }] },
  };
  expect((await postJson(hostler, '/api/alerts/add', { id: 'phone', url: 'json://127.0.0.1:1' })).status).toBe(200);
  const file = path.join(directory, 'config', 'settings.json');
  const { alerts, ...others } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...others, ...settings, alerts: { ...alerts, ...settings.alerts } }));
  const unloaded = await until(async () => {
    await hostler.get('/api/4/all');
    await postJson(hostler, '/api/alerts/test', { id: 'full' });
    await hostler.get('/api/data/battery');
    const missing = optional.filter((prefix) => !optionalLoaded().some((file) => file.startsWith(prefix)));
    return missing.length === 0 ? missing : null;
  });
  expect(unloaded).toEqual([]);
});
