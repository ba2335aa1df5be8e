import { type ChildProcess, spawn } from 'node:child_process';
import { allScopes } from '../../src/features/index.ts';
import { askSealed } from '../../src/lib/pairing/pairing-client.ts';
import { commandLine, serviceEnvironment } from '../../test/real/harness/service.ts';
import { createJunk, type Junk } from './junk.ts';
import { postJson, sendRaw, toBytes, together } from './raw-http.ts';
import { type Surface, type Target, wrongTokens } from './surface.ts';

const routes = ['/api/pair/begin', '/api/pair', '/api/pair/fetch'];

/** Asking for access: attempts, keys, nonces, names and claims of every kind, while a printed code waits. */
export const pairing: Surface = {
  name: 'pairing',
  by: 'unauthenticated',
  expected: [wrongTokens, /access: pairing/i, /pair/i],
  async throwJunk(target) {
    const printing = new Set<ChildProcess>();
    let code = '';
    const printCode = () => {
      if (target.isOver()) return;
      const [program = '', ...args] = [...commandLine(false), 'pair'];
      const env = serviceEnvironment(target.directory, { SERVICE_PORT: String(target.hostler.port) });
      const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      printing.add(child);
      child.stdout.on('data', (chunk) => {
        code = /[0-9A-Z]{4}(?:-[0-9A-Z]{4}){2}/.exec(String(chunk))?.[0] ?? code;
      });
      child.once('exit', () => {
        printing.delete(child);
        setTimeout(printCode, 2000);
      });
    };
    printCode();
    await together(6, target, async (number) => {
      const junk = createJunk(target.seed + 1000 * number + target.junk.below(1e6));
      if (junk.chance(0.02)) await askForReal(target, junk, junk.chance(0.1) ? code : 'K7QF-2M9X-3ATB');
      else await askWrongly(target, junk);
    });
    for (const child of printing) child.kill('SIGTERM');
  },
};

async function askWrongly(target: Target, junk: Junk): Promise<void> {
  const route = junk.pick(routes);
  if (route !== '/api/pair/begin' && junk.chance(0.5)) {
    const begun = await postJson(target, '/api/pair/begin', {});
    await postJson(target, route, wishOf(junk, begun.answer));
    return;
  }
  const json = JSON.stringify(junk.chance(0.5) ? wishOf(junk, null) : junk.value()) ?? '';
  const body = junk.chance(0.8) ? json : junk.mangle(json);
  const headers: [string, string][] = [
    ['Host', `127.0.0.1:${target.hostler.port}`],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ['User-Agent', junk.text().replace(/[\r\n]/g, '')],
    ['Connection', 'close'],
  ];
  await sendRaw(target, toBytes({ method: 'POST', target: route, headers, body }));
}

function wishOf(junk: Junk, begun: unknown): Record<string, unknown> {
  const secret = () => (junk.chance(0.8) ? junk.bytes(32).toString('base64url') : junk.value(1));
  const point = () =>
    junk.chance(0.8) ? Buffer.concat([Buffer.from([4]), junk.bytes(64)]).toString('base64url') : junk.value(1);
  const id =
    typeof begun === 'object' && begun !== null && 'id' in begun && junk.chance(0.8) ? begun.id : junk.value(1);
  const wish: Record<string, unknown> = {
    name: junk.chance(0.5) ? 'phone' : junk.value(1),
    scopes: junk.chance(0.5) ? [junk.pick(allScopes)] : junk.value(2),
    agreed: { id, public_key: point(), nonce: secret(), proof: junk.chance(0.5) ? secret() : null },
    clear: { secret: secret(), code: junk.chance(0.5) ? 'K7QF-2M9X-3ATB' : junk.value(1) },
    browser: { public_key: point(), stay: junk.value(1) },
    id,
    claim: secret(),
  };
  for (const key of Object.keys(wish)) if (junk.chance(0.4)) delete wish[key];
  return wish;
}

/** As the command line does; only the right code gets an answer. */
async function askForReal(target: Target, junk: Junk, code: string): Promise<void> {
  if (code === '') return;
  const post = async (route: string, body: object) => {
    const { status, answer } = await postJson(target, route, body);
    if (status !== 200 || typeof answer !== 'object' || answer === null) throw new Error('refused');
    return { ...answer };
  };
  const wish = { name: `fuzz ${junk.below(1e6)}`, scopes: [], code, browser: null, certificate: null };
  const granted = await askSealed(wish, { post, sleep: async () => {}, show: () => {} }).catch(() => null);
  if (granted !== null && code === 'K7QF-2M9X-3ATB') target.fault('a code that was never printed was taken');
}
