import { problem } from '../respond.ts';

/** One file of the dashboard, in every encoding it can be sent in. */
interface Asset {
  type: string;
  etag: string;
  /** Its name changes with its content. */
  immutable: boolean;
  bodies: Record<Encoding, Uint8Array<ArrayBuffer>>;
}

type Encoding = 'identity' | 'br' | 'gzip';

export type Dashboard = (path: string, headers: Headers) => Promise<Response>;

/**
 * The page and its files, from a pack that is read when the first browser comes. `machines`: addresses of other services
 * that the page may connect to, because the owner of this one listed them.
 */
export function createDashboard(
  readPack: () => Promise<Uint8Array<ArrayBuffer> | null>,
  machines: () => readonly string[] = () => [],
): Dashboard {
  let loading: Promise<Map<string, Asset> | null> | null = null;

  const load = async () => {
    const pack = await readPack();
    return pack === null ? null : parsePack(pack);
  };

  return async (path, headers) => {
    loading ??= load();
    const assets = await loading;
    const asset = assets?.get(isView(path) ? '/index.html' : path);
    if (asset !== undefined) return send(asset, headers, policyWith(machines()));
    if (assets !== null || !isView(path)) return problem(404, 'There is no such file; /api/docs lists what there is');
    // From source, before the first build: what there is can at least be read about.
    return new Response(null, { status: 302, headers: { Location: '/api/docs' } });
  };
}

/** Clients and agents look here whether this is another kind of server; a page would mislead them. */
const probed = new Set(['/information', '/register', '/authorize', '/token']);

/** Everything that is no part of the interface for programs. */
export function isPage(path: string): boolean {
  return !path.startsWith('/.well-known/') && path !== '/api' && !path.startsWith('/api/') && !probed.has(path);
}

/** Paths of views have no extension, but for those of files that are shown; each gets the page, which finds its view by itself. */
const isView = (path: string) => path.startsWith('/files/') || !/\.\w+$/.test(path);

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
  const encoding = encodingFor(headers.get('accept-encoding') ?? '');
  if (encoding !== 'identity') answer['Content-Encoding'] = encoding;
  return new Response(bodies[encoding], { headers: answer });
}

function encodingFor(accepted: string): Encoding {
  const names = accepted.split(',').map((entry) => entry.trim());
  const takes = (name: string) =>
    names.some((entry) => entry.split(';')[0]?.trim() === name && !/;\s*q=0(?:\.0*)?$/.test(entry));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}

/** Nothing from elsewhere but answers of listed machines, nothing inline, in nobody's frame. */
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

/** Only scheme, name and port: whatever else stands in the setting is no part of a policy. */
function originOf(address: string): string[] {
  const url = URL.parse(address);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && /^[\w.:[\]-]+$/.test(url.host);
  return isPlain ? [url.origin] : [];
}

const security = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/**
 * Our pages have no service worker. One that browsers look after here was left by whoever had this port while the service was down:
 * it gets a successor that removes both and loads the pages anew. Browsers put the header, and pages cannot.
 */
export const dismissWorker = () =>
  new Response(workerThatLeaves, {
    headers: { 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store', 'Service-Worker-Allowed': '/' },
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
  // Written by our own build.
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(0, start))) as PackedAsset[];
  const body = ([offset, length]: [number, number]) => pack.subarray(start + offset, start + offset + length);
  return new Map(
    index.map(({ path, bodies: { identity, br, gzip }, ...facts }) => [
      path,
      { ...facts, bodies: { identity: body(identity), br: body(br), gzip: body(gzip) } },
    ]),
  );
}
