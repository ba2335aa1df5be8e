import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser, type RunningBrowser, signIn } from '../harness/dashboard-browser.ts';
import { forwardedTo, startEcho } from '../harness/forwarded.ts';
import { freePort } from '../harness/free-port.ts';
import { startNginx } from '../harness/nginx.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, root, runHostler, startHostler } from '../harness/service.ts';
import { serverSettings } from '../harness/tls.ts';

setDefaultTimeout(120_000);

/** The recipe of docs/proxy.md. It leaves the path of one machine in place; for the other one it removes it, and names it in a header. */
type Machine = Pick<RunningHostler, 'base'>;

function recipe(port: number, isSecure: boolean, [desk, nas]: readonly [Machine, Machine]): string {
  const text = fs.readFileSync(path.join(root, 'docs', 'proxy.md'), 'utf8');
  const [, servers = ''] = /^```nginx\n(.*?)^```/ms.exec(text) ?? [];
  const changes: [string, string][] = [
    ['listen 443 ssl;', `listen 127.0.0.1:${port}${isSecure ? ' ssl' : ''};`],
    ['ssl_certificate /etc/ssl/home.lan.crt;', isSecure ? 'ssl_certificate {certificate};' : ''],
    ['ssl_certificate_key /etc/ssl/home.lan.key;', isSecure ? 'ssl_certificate_key {key};' : ''],
    ["proxy_set_header X-Forwarded-Prefix '';", 'proxy_set_header X-Forwarded-Prefix $outside;'],
    ['/nas/ { proxy_pass http://192.168.1.21:9170;', `/nas/ { proxy_pass ${nas.base}/;`],
    ['http://192.168.1.21:9170', nas.base],
    ['http://192.168.1.20:9170', desk.base],
  ];
  for (const [from] of changes.slice(0, 5)) expect(servers).toContain(from);
  const changed = changes.reduce((config, [from, to]) => config.replaceAll(from, to), servers);
  return `map $uri $outside { default ''; ~^/nas/ /nas; ~/nas(/|$) /nas; }\n${changed}`;
}

test.skipIf(!needs('nginx'))(
  'through nginx a client chooses neither the path nor the scheme nor the address',
  async () => {
    const port = await freePort();
    await using echo = startEcho();
    const [first, ...rest] = recipe(port, false, [echo, echo]).split('\n');
    // The path is as in the document.
    expect(first).toContain('$outside');
    await using _proxy = await startNginx(rest.join('\n').replace('$outside', "''"), port);
    expect(await forwardedTo(`http://127.0.0.1:${port}/desk/`)).toEqual({
      prefix: null,
      proto: 'http',
      address: '127.0.0.1',
    });
  },
);

describe.skipIf(!needs('nginx', 'chromium', 'openssl')).each([
  ['https', true],
  ['http', false],
])('two machines below two paths of nginx, over %s', (scheme, isSecure) => {
  let machines: readonly [RunningHostler, RunningHostler];
  let proxy: AsyncDisposable;
  let chromium: RunningBrowser;
  let origin: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `${scheme}://127.0.0.1:${port}`;
    const rest = { security: { allowedOrigins: isSecure ? [] : [origin] }, mcp: { allowRemote: true } };
    machines = await Promise.all([
      startHostler({ prepare: serverSettings({ basePath: '/desk' }, rest) }),
      startHostler({ prepare: serverSettings({ trustedProxies: ['127.0.0.1'] }, rest) }),
    ]);
    proxy = await startNginx(recipe(port, isSecure, machines), port);
    chromium = await launchBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
    await proxy?.[Symbol.asyncDispose]();
    await Promise.all((machines ?? []).map((machine) => machine.stop()));
  });

  const get = (route: string, init: RequestInit = {}) =>
    fetch(origin + route, { redirect: 'manual', tls: { rejectUnauthorized: false }, ...init } as RequestInit);
  const isIn = (page: Page) => page.getByRole('button', { name: 'Sign out' }).first().waitFor();
  const isLive = (page: Page) =>
    page
      .getByText(/^\d+ %$/)
      .first()
      .waitFor();

  test.each(['/desk', '/nas'])('%s: page, manifest, documents and redirects name addresses below it', async (base) => {
    const html = await (
      await get(`${base}/files/any/where`, { headers: { 'X-Forwarded-Prefix': '/of-the-client' } })
    ).text();
    const links = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) {
      expect(link).toStartWith(`${base}/`);
      expect((await get(link)).status).toBe(200);
    }
    const manifest = await (await get(`${base}/manifest.webmanifest`)).json();
    expect([manifest.id, manifest.start_url]).toEqual([`${base}/`, `${base}/`]);
    expect((await get(manifest.icons[0].src)).headers.get('Content-Type')).toBe('image/png');
    expect((await get(`${base}/app/settings.html`)).headers.get('Location')).toBe(`${base}/settings`);
    const { servers } = await (await get(`${base}/api/openapi.json`)).json();
    expect(servers[0]).toEqual({ url: `${base}/` });
    const worker = await get(`${base}/worker.js`, { headers: { 'Service-Worker': 'script' } });
    expect(worker.headers.get('Service-Worker-Allowed')).toBe(`${base}/`);
  });

  test('a machine answers at its own address as well, and believes the header of no other setting', async () => {
    const [desk] = machines;
    const [plain, below] = await Promise.all(['/api/health', '/desk/api/health'].map((route) => desk.get(route)));
    expect([plain?.status, below?.status]).toEqual([200, 200]);
    const page = await desk.get('/', { 'X-Forwarded-Prefix': '/nas' });
    expect(await page.text()).toContain('src="/desk/');
  });

  // Tokens of agents travel over TLS only.
  test.if(isSecure)(
    'agents find the metadata of OAuth where the proxy is trusted, and the reason elsewhere',
    async () => {
      const base = '/nas';
      const refused = await get(`${base}/api/mcp`, { method: 'POST', body: '{}' });
      expect(refused.status).toBe(401);
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? [];
      const issuer = `${origin}${base}`;
      const resource = { resource: `${issuer}/api/mcp`, authorization_servers: [issuer] };
      expect(await (await get(metadata.slice(origin.length))).json()).toMatchObject(resource);
      expect(await (await get(`/.well-known/oauth-protected-resource${base}/api/mcp`)).json()).toMatchObject(resource);
      const server = await (await get(`/.well-known/oauth-authorization-server${base}`)).json();
      expect(server).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth/token` });
      const untrusted = await get('/.well-known/oauth-authorization-server/desk');
      expect([untrusted.status, await untrusted.text()]).toEqual([
        403,
        expect.stringContaining('server.trustedProxies'),
      ]);
    },
  );

  test('a browser signs in to both, gets live values, and stays signed in to each over a reload', async () => {
    const { page: desk, complaints, close } = await chromium.open({ ignoreHTTPSErrors: isSecure });
    const nas = await desk.context().newPage();
    const asked = new Map<Page, string[]>();
    for (const page of [desk, nas]) {
      const paths: string[] = [];
      asked.set(page, paths);
      const note = (url: string) => void (/^(http|ws)/.test(url) && paths.push(new URL(url).pathname));
      page.on('request', (request) => note(request.url()));
      page.on('websocket', (socket) => note(socket.url()));
    }
    for (const [page, base, { token }] of [
      [desk, '/desk', machines[0]],
      [nas, '/nas', machines[1]],
    ] as const) {
      await page.goto(`${origin}${base}/`);
      await signIn(page, token);
      await isLive(page);
      await page.getByRole('link', { name: 'Processes', exact: true }).first().click();
      expect(new URL(page.url()).pathname).toBe(`${base}/processes`);
      await page.goBack();
      expect(new URL(page.url()).pathname).toBe(`${base}/`);
    }
    for (const page of [desk, nas]) {
      await page.reload();
      await isLive(page);
    }
    // A session of one machine is not one of the other.
    await nas.getByRole('button', { name: 'Sign out' }).first().click();
    await nas.getByLabel('Token').waitFor();
    await desk.goto(`${origin}/desk/processes`);
    await isIn(desk);
    for (const [page, base] of [
      [desk, '/desk/'],
      [nas, '/nas/'],
    ] as const) {
      const paths = asked.get(page) ?? [];
      expect(paths).toContain(`${base}api/websocket`);
      expect(paths.filter((each) => !each.startsWith(base))).toEqual([]);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('a browser gets access with a printed code', async () => {
    const { stdout } = await runHostler(['pair', '--json'], { directory: machines[0].directory });
    const { page, close } = await chromium.open({ ignoreHTTPSErrors: isSecure });
    await page.goto(`${origin}/desk/#pair=${JSON.parse(stdout).code}`);
    await page.getByRole('button', { name: 'Use code' }).click();
    await isIn(page);
    expect(page.url()).toBe(`${origin}/desk/`);
    await close();
  });
});
