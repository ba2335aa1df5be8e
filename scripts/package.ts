import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { codeSigningFrom } from './package/authenticode.ts';
import { carriedPackages } from './package/bill.ts';
import { type Contents, legal } from './package/contents.ts';
import type { PackageFacts } from './package/deb.ts';
import { type Architecture, architectures, linuxPackages, windowsPackages } from './package/packages.ts';
import { checksums, releaseList, signatureOf } from './package/sign.ts';
import { windowsManifests } from './package/windows-manifests.ts';

/**
 * dist/packages, from programs that were built before. `--programs DIR` reads them from another folder, laid out as in dist;
 * `--only linux-x64` and `--format deb,rpm` build some of them; `--quick` compresses weakly and `--no-packing` not at all, for tests; `--out DIR` sets the output folder.
 */
const root = path.resolve(import.meta.dirname, '..');
const option = (name: string) => {
  const at = process.argv.lastIndexOf(`--${name}`);
  return at === -1 ? null : (process.argv[at + 1] ?? '');
};
const out = option('out') ?? path.join(root, 'dist', 'packages');
const programs = option('programs') ?? path.join(root, 'dist');
const only = option('only')?.split(',') ?? null;
const isWanted = (target: string) => only === null || only.includes(target);
const packing = process.argv.includes('--no-packing') ? 'none' : process.argv.includes('--quick') ? 'quick' : 'best';
const formats = option('format')?.split(',') ?? null;

const facts: PackageFacts = {
  name: 'hostler',
  version: manifest.version,
  summary: 'local system control service over HTTP, WebSocket and MCP',
  description:
    'Hostler is a small service that lets Home Assistant, dashboards, scripts and\nagents read the machine it runs on and act on it. Every client needs a\ntoken.\n\nIt is not started by being installed: "hostler service install" does that.',
  maintainer: process.env.HOSTLER_MAINTAINER ?? 'The Hostler authors <hostler@users.noreply.github.com>',
  homepage: null,
};
const contents: Contents = { version: manifest.version, time: releaseTime(), root, carried: carriedPackages(root) };
const read = (target: string, name: string) => fs.readFileSync(path.join(programs, `hostler-${target}`, name));

const codeSigning = codeSigningFrom(process.env);
const report = (sentence: string) => void process.stderr.write(`hostler: ${sentence}\n`);
const options = { packing, formats, report } as const;

const files: Record<string, Uint8Array> = {};
for (const name of Object.keys(architectures)) {
  const architecture = name as Architecture;
  const [linux, windows] = [`linux-${architecture}`, `windows-${architecture}`];
  if (isWanted(linux))
    Object.assign(files, await linuxPackages(contents, facts, architecture, read(linux, 'hostler'), options));
  if (isWanted(windows)) {
    const program = read(windows, 'hostler.exe');
    Object.assign(files, windowsPackages(contents, architecture, program, options, codeSigning));
  }
}
for (const { path: name, data } of legal(contents)) if (data !== null) files[name] = data;
const sums = checksums(files);
files.SHA256SUMS = new TextEncoder().encode(sums);
const key = process.env.HOSTLER_SIGNING_KEY;
const page = process.env.HOSTLER_RELEASE_PAGE || undefined;
const downloads = process.env.HOSTLER_RELEASE_FILES || undefined;
if (page !== undefined && downloads !== undefined) {
  const { version, summary } = facts;
  const manifests = windowsManifests({ version, summary, time: contents.time, page, downloads, files });
  for (const [name, text] of Object.entries(manifests)) files[name] = new TextEncoder().encode(text);
}
if (key) {
  files['SHA256SUMS.sig'] = signatureOf(sums, key);
  const list = releaseList({ version: manifest.version, page }, contents.time, key);
  files['releases.json'] = new TextEncoder().encode(list);
} else process.stderr.write('hostler: not signed, because HOSTLER_SIGNING_KEY names no key file\n');

fs.rmSync(out, { recursive: true, force: true });
fs.mkdirSync(out, { recursive: true });
for (const [name, data] of Object.entries(files)) {
  fs.mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  fs.writeFileSync(path.join(out, name), data);
  process.stdout.write(`${name}  ${(data.length / 1e6).toFixed(1)} MB\n`);
}

/** SOURCE_DATE_EPOCH, or the time of the last commit. https://reproducible-builds.org/specs/source-date-epoch/ */
function releaseTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  if (/^\d+\s*$/.test(stdout ?? '')) return Number(stdout);
  throw new Error('SOURCE_DATE_EPOCH must be set to the release time: there is no git history here');
}
