// tier: full
import { expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { forwardedTo, startEcho } from '../harness/forwarded.ts';
import { freePort } from '../harness/free-port.ts';
import { startCaddy } from '../harness/nginx.ts';
import { needs } from '../harness/parts.ts';
import { root, startHostler } from '../harness/service.ts';
import { serverSettings } from '../harness/tls.ts';

setDefaultTimeout(120_000);

test.skipIf(!needs('caddy'))('two machines below two paths of Caddy, with the recipe', async () => {
  const text = fs.readFileSync(path.join(root, 'docs', 'proxy.md'), 'utf8');
  const [, recipe = ''] = /^## Caddy\n\n```\n(.*?)^```/ms.exec(text) ?? [];
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const prepare = (basePath: string) =>
    serverSettings({ basePath, trustedProxies: ['127.0.0.1'] }, { security: { allowedOrigins: [origin] } });
  await using desk = await startHostler({ prepare: prepare('/desk') });
  await using nas = await startHostler({ prepare: prepare('/nas') });
  const changes = [
    ['home.lan', origin],
    ['192.168.1.20:9170', `127.0.0.1:${desk.port}`],
    ['192.168.1.21:9170', `127.0.0.1:${nas.port}`],
  ] as const;
  for (const [from] of changes) expect(recipe).toContain(from);
  await using _caddy = await startCaddy(
    changes.reduce((config, [from, to]) => config.replaceAll(from, to), recipe),
    port,
  );
  await using echo = startEcho();
  const echoPort = await freePort();
  const toEcho = recipe
    .replaceAll('home.lan', `http://127.0.0.1:${echoPort}`)
    .replace(/192\.168\.1\.\d+:9170/g, echo.address);
  await using _other = await startCaddy(toEcho, echoPort);
  for (const base of ['/desk', '/nas'])
    expect(await forwardedTo(`http://127.0.0.1:${echoPort}${base}/`)).toEqual({
      prefix: null,
      proto: 'http',
      address: '127.0.0.1',
    });
  for (const [base, { token }] of [
    ['/desk', desk],
    ['/nas', nas],
  ] as const) {
    const headers = { 'X-Forwarded-Prefix': '/of-the-client' };
    const page = await (await fetch(`${origin}${base}/files/any/where`, { headers })).text();
    expect(page).toContain(`src="${base}/`);
    const read = await fetch(`${origin}${base}/api/data/memory`, { headers: { 'X-API-Token': token } });
    expect((await read.json()).virtual.total).toBeGreaterThan(0);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${base}/api/websocket`);
    const answer = Promise.withResolvers<string>();
    socket.onmessage = ({ data }) => answer.resolve(String(data));
    socket.onerror = () => answer.reject(new Error('no WebSocket'));
    socket.onopen = () =>
      socket.send(JSON.stringify({ id: '1', event: 'GET_DATA', token, data: { modules: ['memory'] } }));
    expect(JSON.parse(await answer.promise)).toMatchObject({ module: 'memory' });
    socket.close();
  }
});
