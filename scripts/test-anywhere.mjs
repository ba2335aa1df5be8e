// npm test on other kinds of machines: as another user, in another directory, with fewer resources. All of them take hours.
//
//     npm run test:anywhere -- --list
//     npm run test:anywhere -- user locale --tests=test/real/tests/cli.test.ts,src/host
//
// Every variation has a copy of the current checkout, which is removed afterwards; the log of a failed one stays.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bunFlags, bunPath, cleanEnvironment, ensureInstalled, root } from './installed.mjs';
import { endOf, onInterruption } from './steps.mjs';
import { variations } from './variations.mjs';

const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean' }, tests: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const say = (line) => process.stdout.write(`${line}\n`);
const unknown = positionals.filter((name) => !variations.some((variation) => variation.name === name));
if (values.list || unknown.length > 0) {
  for (const { name, what, needsRoot } of variations) say(`${name.padEnd(12)} ${what}${needsRoot ? ' (root)' : ''}`);
  if (unknown.length > 0) say(`There is no variation ${unknown.join(', ')}.`);
  process.exit(unknown.length > 0 ? 2 : 0);
}

ensureInstalled({ dev: true });
const chosen = variations.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const paths = values.tests?.split(',') ?? [];
const seed = values.seed ?? String(Date.now());
const interruption = onInterruption();

const results = [];
for (const variation of chosen) {
  if (interruption.aborted) break;
  results.push(...(await runVariation(variation)));
}
say('');
for (const { name, verdict, minutes, sum } of results)
  say(`${verdict.padEnd(8)} ${name.padEnd(14)} ${minutes.toFixed(1).padStart(6)} min  ${sum}`);
const failed = results.filter(({ verdict }) => verdict === 'failed');
say(`${results.length - failed.length} variations passed or were skipped, ${failed.length} failed`);
process.exit(failed.length === 0 && !interruption.aborted ? 0 : 1);

async function runVariation(variation) {
  const { name, what, needsRoot, times = 1 } = variation;
  if (needsRoot && process.getuid?.() !== 0) return [{ name, verdict: 'skipped', minutes: 0, sum: 'it needs root' }];
  say(`== ${name}: ${what}${variation.shuffle ? ` (--seed=${seed})` : ''}`);
  const scratch = mkdtempSync(path.join('/tmp', 'hostler-anywhere-'));
  chmodSync(scratch, 0o755);
  const place = variation.where?.(scratch) ?? path.join(scratch, 'hostler');
  const undo = [
    () => rmSync(scratch, { recursive: true, force: true }),
    () => rmSync(place, { recursive: true, force: true }),
  ];
  const rounds = [];
  try {
    copyCheckout(place);
    const prepared = variation.prepare?.({ scratch }) ?? {};
    if (prepared.undo) undo.push(prepared.undo);
    if (prepared.user) spawnSync('chown', ['-R', `${prepared.user}:`, place]);
    for (let round = 1; round <= times && !interruption.aborted; round += 1) {
      rounds.push(
        await runTests({ variation, prepared, scratch, place, name: times === 1 ? name : `${name} ${round}` }),
      );
    }
  } finally {
    for (const step of undo.reverse()) step();
  }
  return rounds;
}

/** What git would commit now, and node_modules; other ignored files are rebuilt. */
function copyCheckout(place) {
  mkdirSync(place, { recursive: true });
  const shell = (script) => {
    const { status } = spawnSync('sh', ['-c', script, place], { cwd: root, stdio: 'inherit' });
    if (status !== 0) throw new Error(`the checkout could not be copied to ${place}`);
  };
  shell('git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents --no-dereference -t "$0"');
  shell('for each in node_modules .cache dist; do if [ -e $each ]; then cp -a --reflink=auto $each "$0"; fi; done');
}

async function runTests({ variation, prepared, scratch, place, name }) {
  const from = performance.now();
  const log = path.join(os.tmpdir(), `hostler-anywhere-${name.replace(' ', '-')}-${process.pid}.log`);
  const tests = ['npm', 'test', '--', ...(variation.shuffle ? [`--shuffle=${seed}`] : []), ...paths];
  // Relative to the copy. The user changes last, because the preparations need root.
  const become = [...(prepared.through ?? []), ...tests].map((word) => `'${word}'`).join(' ');
  const script = `${variation.shell ?? ':'}\ncd "$PLACE" && exec ${become}`;
  const command = [...(variation.through ?? []), 'sh', '-c', script];
  const contain = [...bunFlags, path.join(root, 'scripts', 'contain.ts'), scratch, ...command];
  const child = spawn(bunPath(), contain, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...cleanEnvironment(), ...variation.env, ...prepared.env, SCRATCH: scratch, PLACE: place },
    detached: true,
  });
  const written = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(written, { end: false });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const status = await endOf(child, interruption);
  await closed;
  await new Promise((resolve) => written.end(resolve));
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const sum = lines.findLast((line) => /^\d+ passed, /.test(line)) ?? 'it did not come to its end';
  if (status === 0) rmSync(log, { force: true });
  else
    for (const line of [...new Set(lines.filter((line) => line.startsWith('(fail)'))), `the log is ${log}`]) say(line);
  say(`== ${name}: ${sum}`);
  return { name, verdict: status === 0 ? 'passed' : 'failed', minutes: (performance.now() - from) / 60_000, sum };
}
