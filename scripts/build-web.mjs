// dist/web.pack: the dashboard, built and compressed, in one file that the service reads or embeds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { bunFlags, bunPath, cleanEnvironment, root } from './installed.mjs';

const pack = path.join(root, 'dist', 'web.pack');
const sources = ['web', 'package-lock.json', path.join('scripts', 'build-web.mjs')];
/** What the dashboard has of the service, beside types. */
const shared = [path.join('packages', 'client'), path.join('src', 'settings'), path.join('src', 'lib')];

/** Under their own names, because clients request them by name: the files that a phone needs for its home screen. */
const fixed = path.join(root, 'web', 'static');
/** Inserted afterwards: the bundler would resolve and rename these files. */
const fixedLinks =
  '<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/apple-touch-icon.png">';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

/** Builds it unless it is newer than its sources. */
export function ensureWeb() {
  // A package contains the built file, not its sources.
  if (!existsSync(path.join(root, 'web'))) return;
  const built = existsSync(pack) ? statSync(pack).mtimeMs : 0;
  const schemas = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.settings.schema.ts'))
    .map((file) => path.join('src', file));
  if ([...sources, ...shared, ...schemas].some((source) => newest(path.join(root, source)) > built)) buildWeb();
}

function newest(file) {
  const stat = statSync(file);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(file).reduce((latest, name) => Math.max(latest, newest(path.join(file, name))), stat.mtimeMs);
}

export function buildWeb() {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'hostler-web-'));
  try {
    const args = ['build', path.join('web', 'index.html'), '--outdir', scratch, '--production', '--splitting'];
    const { status, stderr } = spawnSync(
      bunPath(),
      [...bunFlags, ...args, '--target=browser', '--entry-naming=[name].[ext]', '--chunk-naming=[name]-[hash].[ext]'],
      { cwd: root, encoding: 'utf8', env: cleanEnvironment() },
    );
    if (status !== 0) {
      process.stderr.write(`hostler: the dashboard cannot be built\n${stderr}\n`);
      process.exit(1);
    }
    const page = path.join(scratch, 'index.html');
    // Scripts and styles name their neighbours, so that they work below any path. The page is every view, so it names them from the root.
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replaceAll('="./', '="/').replace('</head>', `${fixedLinks}</head>`),
    );
    const built = readdirSync(scratch).map((name) => asset(name, readFileSync(path.join(scratch, name))));
    const named = readdirSync(fixed).map((name) => asset(name, readFileSync(path.join(fixed, name)), true));
    writePack([...built, ...named]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function asset(name, identity, isFixed = false) {
  const type = types[path.extname(name)];
  if (type === undefined) throw new Error(`The dashboard has a file of an unknown kind: ${name}`);
  const br = brotliCompressSync(identity, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length },
  });
  return {
    path: `/${name}`,
    type,
    etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
    // The bundler puts a content hash into each name, except that of the page itself.
    immutable: !isFixed && name !== 'index.html',
    bodies: { identity, br, gzip: gzipSync(identity, { level: 9 }) },
  };
}

/** A line of JSON with the offsets, then the bytes. */
function writePack(assets) {
  const bytes = [];
  let offset = 0;
  const put = (body) => {
    const place = [offset, body.length];
    bytes.push(body);
    offset += body.length;
    return place;
  };
  const index = assets.map(({ bodies, ...facts }) => ({
    ...facts,
    bodies: Object.fromEntries(Object.entries(bodies).map(([encoding, body]) => [encoding, put(body)])),
  }));
  mkdirSync(path.dirname(pack), { recursive: true });
  const temporary = `${pack}.${process.pid}.tmp`;
  writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...bytes]));
  renameSync(temporary, pack);
}
