import { describe, expect, test } from 'bun:test';
import { createDashboard, dismissWorker, isPage } from './dashboard.ts';

const files = {
  '/manifest.webmanifest': { text: '{"id":"/"}', type: 'application/manifest+json', immutable: false },
  '/index.html': {
    text: '<!doctype html><script src="/app-1a2b.js"></script>the page',
    type: 'text/html',
    immutable: false,
  },
  '/app-1a2b.js': { text: 'alert', type: 'text/javascript', immutable: true },
};

/** As scripts/build-web.mjs writes it; a letter marks each encoding. */
function packOf(): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let offset = 0;
  const put = (text: string): [number, number] => {
    const bytes = new TextEncoder().encode(text);
    chunks.push(bytes);
    offset += bytes.length;
    return [offset - bytes.length, bytes.length];
  };
  const index = Object.entries(files).map(([path, { text, type, immutable }]) => ({
    path,
    type,
    immutable,
    etag: `"${path}"`,
    bodies: { identity: put(text), br: put(`b${text}`), gzip: put(`g${text}`) },
  }));
  return new Uint8Array(Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...chunks]));
}

const ask = async (path: string, headers: Record<string, string> = {}, built = true) => {
  const dashboard = createDashboard(async () => (built ? packOf() : null));
  return await dashboard(path, new Headers(headers));
};

describe('the files of the dashboard', () => {
  test.each(['/', '/processes', '/files/music/a%20band/1.flac', '/files/home/.profile', '/nowhere'])(
    '%s is a view: it gets the page, which is revalidated each time',
    async (path) => {
      const response = await ask(path);
      expect(await response.text()).toBe(files['/index.html'].text);
      expect(response.headers.get('Cache-Control')).toBe('no-cache');
    },
  );

  test.each([
    ['/app/settings.html', '/settings'],
    ['/settings/media', '/settings'],
    ['/app/data.html', '/'],
    ['/app/bridges/openon.html', '/'],
    ['/connection', '/'],
  ])('%s, an address of System Bridge, leads to %s', async (path, view) => {
    const response = await ask(path);
    expect([response.status, response.headers.get('Location')]).toEqual([302, view]);
  });

  test('a file with a content hash in its name is cached permanently', async () => {
    const response = await ask('/app-1a2b.js');
    expect(await response.text()).toBe('alert');
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
  });

  test('a missing file is a JSON problem, not the page', async () => {
    const response = await ask('/app-0000.js');
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toContain('application/json');
  });

  test.each([
    ['br, gzip', 'br', 'balert'],
    ['gzip, br;q=0', 'gzip', 'galert'],
    ['gzip;q=0.5', 'gzip', 'galert'],
    ['identity', null, 'alert'],
    ['', null, 'alert'],
  ])('Accept-Encoding "%s" selects %p', async (accepted, encoding, body) => {
    const response = await ask('/app-1a2b.js', { 'accept-encoding': accepted });
    expect(response.headers.get('Content-Encoding')).toBe(encoding);
    expect(response.headers.get('Vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(body);
  });

  test('a client with the current version gets 304', async () => {
    const response = await ask('/', { 'if-none-match': '"/index.html"' });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
  });

  test('the page may run only its own scripts, load only from this origin, and not be framed', async () => {
    const policy = (await ask('/')).headers.get('Content-Security-Policy') ?? '';
    expect(policy).toStartWith("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test('it connects to this service and to the origins of listed machines only', async () => {
    const policyOf = async (machines: string[]) => {
      const response = await createDashboard(
        async () => packOf(),
        () => machines,
      )('/', new Headers());
      return /connect-src [^;]*/.exec(response.headers.get('Content-Security-Policy') ?? '')?.[0];
    };
    expect(await policyOf([])).toBe("connect-src 'self'");
    expect(await policyOf(['http://nas.local:9170/some/page?x=1', 'https://[fd00::7]:9170'])).toBe(
      "connect-src 'self' http://nas.local:9170 https://[fd00::7]:9170",
    );
    const strange = ['ftp://nas.local', '*', "http://x; script-src 'unsafe-inline'", 'http://*', 'javascript:alert(1)'];
    expect(await policyOf(strange)).toBe("connect-src 'self'");
  });

  test('below a path of a proxy, the page and the manifest name addresses there; other files are unchanged', async () => {
    const below = async (path: string, accepted = 'br') => {
      const dashboard = createDashboard(async () => packOf());
      return await dashboard(path, new Headers({ 'accept-encoding': accepted }), '/pc');
    };
    const page = await below('/processes');
    expect(await page.text()).toBe('<!doctype html><script src="/pc/app-1a2b.js"></script>the page');
    expect([page.headers.get('Content-Encoding'), page.headers.get('ETag')]).toEqual([null, '"/index.html/pc"']);
    expect(await (await below('/manifest.webmanifest')).json()).toEqual({ id: '/pc/' });
    expect(await (await below('/app-1a2b.js')).text()).toBe('balert');
    expect((await below('/settings/media')).headers.get('Location')).toBe('/pc/settings');
    expect(dismissWorker('/pc').headers.get('Service-Worker-Allowed')).toBe('/pc/');
  });

  test('before the first build every view links to the documentation', async () => {
    const response = await ask('/processes', {}, false);
    expect([response.status, response.headers.get('Location')]).toEqual([302, '/api/docs']);
    expect((await ask('/app.js', {}, false)).status).toBe(404);
  });

  test.each(['/api', '/api/nothing', '/information', '/register', '/token', '/.well-known/oauth-protected-resource'])(
    '%s is never a page',
    (path) => {
      expect(isPage(path)).toBe(false);
    },
  );
});
