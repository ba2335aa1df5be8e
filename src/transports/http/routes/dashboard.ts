import { once } from '../../../lib/lazily.ts';
import { problem, sameOriginOnly } from '../respond.ts';

/** One file of the dashboard. */
interface Asset {
  type: string;
  etag: string;
  /** Its name contains a hash of its content. */
  immutable: boolean;
  /** In every encoding that is ready; one that is not gets the identity. */
  bodies: Partial<Record<Encoding, Uint8Array<ArrayBuffer>>> & { identity: Uint8Array<ArrayBuffer> };
}

type Encoding = 'identity' | 'br' | 'gzip';

/** `base`: the path below which a proxy serves it; empty: none. */
export type Dashboard = (path: string, headers: Headers, base?: string) => Promise<Response>;

/**
 * The page and its files, from a pack that is read on the first request. `machines`: addresses of other services
 * that the page may connect to, as listed in the settings.
 */
export function createDashboard(
  readPack: () => Promise<Uint8Array<ArrayBuffer> | null>,
  machines: () => readonly string[] = () => [],
): Dashboard {
  const load = once(async () => {
    const pack = await readPack();
    return pack === null ? null : parsePack(pack);
  });

  return async (path, headers, base = '') => {
    const instead = viewInstead(path);
    if (instead !== null) return redirect(base + instead);
    const assets = await load();
    const asset = assets?.get(isView(path) ? '/index.html' : path);
    if (asset !== undefined)
      return send(base === '' ? asset : assetBelow(asset, base), headers, policyWith(machines()));
    if (assets !== null || !isView(path)) return problem(404, 'There is no such file; /api/docs lists the routes');
    // From source, before the first build: links to the documentation.
    return redirect(`${base}/api/docs`);
  };
}

const redirect = (to: string) => new Response(null, { status: 302, headers: { Location: to, ...sameOriginOnly } });

/** Clients and agents probe these paths for another kind of server; a page would mislead them. */
const probed = new Set(['/information', '/register', '/authorize', '/token']);

/** Everything outside the API. */
export function isPage(path: string): boolean {
  return !path.startsWith('/.well-known/') && path !== '/api' && !path.startsWith('/api/') && !probed.has(path);
}

/** Paths of views have no extension, except those of displayed files; each gets the page, which routes to the view. */
const isView = (path: string) => path.startsWith('/files/') || !/\.\w+$/.test(path);

/** The view for a page of System Bridge 2 to 5: Home Assistant links to `/app/settings.html`, and browsers have bookmarks. */
function viewInstead(path: string): string | null {
  if (/^(?:\/app)?\/settings(?:\.html|\/(?:commands|media))$/.test(path)) return '/settings';
  return /^\/app\/[\w/-]+\.html$|^\/(?:app|connection|data|notifications|open)$/.test(path) ? '/' : null;
}

/** The page and the manifest name addresses from the root, all in quotation marks; the other files name only their neighbours. */
function assetBelow(asset: Asset, base: string): Asset {
  if (!/^text\/html|manifest/.test(asset.type)) return asset;
  const text = new TextDecoder().decode(asset.bodies.identity).replaceAll('"/', `"${base}/`);
  return { ...asset, etag: asset.etag.replace(/"$/, `${base}"`), bodies: { identity: new TextEncoder().encode(text) } };
}

function send({ type, etag, immutable, bodies }: Asset, headers: Headers, policy: string): Response {
  const answer: Record<string, string> = {
    'Content-Type': type,
    'Cache-Control': immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    Vary: 'Accept-Encoding',
    'Content-Security-Policy': policy,
    ...security,
  };
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: answer });
  const wanted = encodingFor(headers.get('accept-encoding') ?? '');
  const encoding = bodies[wanted] === undefined ? 'identity' : wanted;
  if (encoding !== 'identity') answer['Content-Encoding'] = encoding;
  return new Response(bodies[encoding], { headers: answer });
}

function encodingFor(accepted: string): Encoding {
  const names = accepted.split(',').map((entry) => entry.trim());
  const takes = (name: string) =>
    names.some((entry) => entry.split(';')[0]?.trim() === name && !/;\s*q=0(?:\.0*)?$/.test(entry));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}

/** Only this origin and listed machines, no inline code, no framing. */
const policyWith = (machines: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self'",
    ["connect-src 'self'", ...machines.flatMap(originOf)].join(' '),
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Only scheme, name and port: other parts of the setting do not belong in a policy. */
function originOf(address: string): string[] {
  const url = URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.host);
  return isPlain ? [url.origin] : [];
}

const security = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // A page of another origin that opens an address cannot move the focus to a text of its choice.
  'Document-Policy': 'force-load-at-top',
  ...sameOriginOnly,
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/**
 * Our pages have no service worker. One that browsers update here was left by another program on this port while the service was down:
 * its replacement removes itself and reloads the pages. Browsers set the header; pages cannot.
 */
export const dismissWorker = (base: string) =>
  new Response(workerThatLeaves, {
    headers: {
      'Content-Type': 'text/javascript',
      'Cache-Control': 'no-store',
      'Service-Worker-Allowed': `${base}/`,
      ...sameOriginOnly,
    },
  });

const workerThatLeaves = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil((async () => {
  await registration.unregister();
  for (const page of await clients.matchAll({ type: 'window' })) await page.navigate(page.url);
})()));
`;

interface PackedAsset extends Omit<Asset, 'bodies'> {
  path: string;
  bodies: Record<Encoding, [offset: number, length: number]>;
}

/** See scripts/build-web.mjs. */
function parsePack(pack: Uint8Array<ArrayBuffer>): Map<string, Asset> {
  const start = pack.indexOf(0x0a) + 1;
  // Written by scripts/build-web.mjs.
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(0, start))) as PackedAsset[];
  const body = ([offset, length]: [number, number]) => pack.subarray(start + offset, start + offset + length);
  return new Map(
    index.map(({ path, bodies: { identity, br, gzip }, ...facts }) => [
      path,
      { ...facts, bodies: { identity: body(identity), br: body(br), gzip: body(gzip) } },
    ]),
  );
}
