// Runs test files without access to the session of the user, and cleans up after them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { bunFlags, bunPath, cleanEnvironment, root } from './installed.mjs';
import { endOf } from './steps.mjs';

/** Tests beside the code, and tests of the whole tree. */
export const unitTests = () =>
  ['src', 'packages', 'test']
    .filter((folder) => existsSync(path.join(root, folder)))
    .flatMap(testFiles)
    .filter((file) => !isReal(file));
/** Tests against real programs; they take the most time. */
export const realTests = () => testFiles('test/real');
export const isReal = (file) => file.startsWith('./test/real/');

/** The test files in a folder or a file, sorted, because the order of directory entries differs between machines. */
export function testFiles(place) {
  const below = statSync(path.join(root, place)).isDirectory()
    ? readdirSync(path.join(root, place), { recursive: true }).map((name) => path.join(place, name))
    : [place];
  return below
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .map((name) => `./${path.normalize(name)}`);
}

/** The same files in an order that depends only on the seed. */
export function shuffled(files, seed) {
  const place = (file) => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  return files
    .map((file) => ({ file, at: place(file) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ file }) => file);
}

/** Test files in one process. The report decides, not the exit code alone: a test that ends the process must not pass. */
export function testStep(name, paths, flags = []) {
  return async (interrupted) => {
    process.stdout.write(`== ${name}\n`);
    return await runFiles(name, paths, interrupted, { flags });
  };
}

/** Unit tests in as many processes as there are cores. Each process keeps its modules loaded from file to file; only failures are printed. */
export const unitStep = (name, paths) =>
  testStep(name, paths, [`--parallel=${os.availableParallelism()}`, '--no-isolate', '--only-failures']);

/**
 * Test files against real programs, several in parallel, because they wait most of the time. Real programs are not deterministic: a file with a
 * failure is run once more, alone. What fails again has failed. What passes then counts as passed and is listed as flaky with its first error:
 * it has to be fixed.
 */
export function realStep(name, paths, tier) {
  return async (interrupted) => {
    process.stdout.write(`== ${name}\n`);
    const first = await runBeside(name, groupsOf(paths), lanes(tier), interrupted);
    const again = [...new Set(first.failures.map(({ file }) => `./${path.normalize(file)}`))];
    if (first.failed === 0 || again.length === 0 || again.length > mostAgain || interrupted.aborted) return first;
    process.stdout.write(`== once more, alone: ${again.join(' ')}\n`);
    const second = await runFiles(name, again, interrupted);
    const still = new Set(second.failures.map(({ file, test }) => `${file} ${test}`));
    const flaky = first.failures.filter(({ file, test }) => !still.has(`${file} ${test}`));
    // If no test has failed by name, the second run proves nothing.
    if (second.failed > 0 && second.failures.length === 0) return first;
    return {
      ...first,
      passed: first.passed + first.failed - second.failed,
      failed: second.failed,
      failures: second.failures,
      flaky,
    };
  };
}

/** If more files than this fail, nothing is flaky: something is broken. */
const mostAgain = 6;
/**
 * Lanes for each core: files of the standard tier wait two thirds of their time (36 % of it was CPU time on 2026-11-19), those of the full
 * tier half of it. At least two. A browser, a booted system or Windows takes up to 2 GiB.
 */
const perCore = { standard: 2, full: 1.5 };
const lanes = (tier) =>
  Math.max(2, Math.min(Math.ceil(os.availableParallelism() * perCore[tier]), Math.floor(os.totalmem() / 2 ** 31)));

/**
 * Windows tests share what they prepare (the build, a tree with Wine), so they run together, and first: they take the longest. Of the others
 * the largest files begin, so that the lanes end together.
 */
function groupsOf(paths) {
  const isWindows = (file) => path.basename(file).startsWith('windows');
  const size = (file) => statSync(path.join(root, file)).size;
  const others = paths.filter((file) => !isWindows(file)).map((file) => [file]);
  others.sort(([one], [other]) => size(other) - size(one));
  return [paths.filter(isWindows), ...others].filter((files) => files.length > 0);
}

async function runBeside(name, groups, count, interrupted) {
  const waiting = [...groups];
  const results = [];
  const lane = async () => {
    for (let files = waiting.shift(); files !== undefined && !interrupted.aborted; files = waiting.shift())
      results.push(await runFiles(name, files, interrupted, { isQuiet: true }));
  };
  await Promise.all(Array.from({ length: count }, lane));
  const sum = (count) => results.reduce((total, result) => total + result[count], 0);
  const all = (list) => results.flatMap((result) => result[list] ?? []);
  return {
    name,
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    files: all('files'),
    failures: all('failures'),
  };
}

/** One run of the test program. Its output is printed at once, or in one piece when it has ended. */
async function runFiles(name, paths, interrupted, { isQuiet = false, flags = [] } = {}) {
  const scratch = createScratch();
  const report = path.join(scratch, 'junit.xml');
  const output = path.join(scratch, 'output.txt');
  const reporting = ['--reporter=junit', `--reporter-outfile=${report}`];
  const tests = [...bunFlags, 'test', '--timeout=180000', ...flags, ...reporting, ...paths];
  const contain = [...bunFlags, path.join(root, 'scripts', 'contain.ts'), scratch];
  const to = isQuiet ? openSync(output, 'w', 0o600) : 'inherit';
  const [program, ...args] = [...withoutPackageLists(paths), bunPath(), ...contain, bunPath(), ...tests];
  // In a separate process group, so that Ctrl-C at a terminal does not end it before it has ended the others.
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['pipe', to, to],
    env: testEnvironment(scratch),
    detached: true,
  });
  const status = await endOf(child, interrupted);
  endSession(child.pid);
  if (isQuiet) {
    closeSync(to);
    process.stdout.write(readFileSync(output));
  }
  const counts = existsSync(report) ? readReport(readFileSync(report, 'utf8')) : null;
  removeScratch(scratch);
  if (counts === null) {
    const error = 'there is no report, so the run ended before its tests did';
    process.stdout.write(`== ${name} failed: ${error}\n`);
    const failures = isQuiet ? paths.map((file) => ({ file, test: 'the whole file', error })) : [];
    return { name, passed: 0, failed: 1, skipped: 0, failures };
  }
  return { name, ...counts, failed: counts.failed === 0 && status !== 0 ? 1 : counts.failed };
}

/**
 * A mount namespace in which apt has no package lists: a query of them takes seconds of CPU, and most tests start services that make one. These
 * tests need them, or the mirror they name. Only root can create it; otherwise, nothing.
 */
function withoutPackageLists(paths) {
  const lists = '/var/lib/apt/lists';
  const needed = paths.some((file) => !isReal(file) || /^(updates|windows|otlp-victoria)/.test(path.basename(file)));
  if (needed || process.getuid?.() !== 0 || !existsSync(lists)) return [];
  const hidden = ['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o ro none ${lists} && exec "$@"`, 'sh'];
  return spawnSync(hidden[0], [...hidden.slice(1), 'true']).status === 0 ? hidden : [];
}

/** The session is empty, unless contain.ts was killed itself. */
function endSession(session) {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const [, , , itsSession] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(itsSession) === session) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** The path of a Unix socket is 107 characters at most, so this one has to be short. Other users may enter it: some tests run as another user. */
function createScratch() {
  const place = os.tmpdir().length > 30 ? '/tmp' : os.tmpdir();
  const scratch = mkdtempSync(path.join(place, 'hostler-tests-'));
  chmodSync(scratch, 0o711);
  mkdirSync(path.join(scratch, 'tmp'));
  chmodSync(path.join(scratch, 'tmp'), 0o1777);
  return scratch;
}

/** What a test mounted before it was killed, such as the data of an engine, the innermost first. */
function unmountBelow(folder) {
  const table = '/proc/self/mountinfo';
  if (!existsSync(table)) return;
  const places = readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  for (const place of places.filter((each) => each.startsWith(`${folder}/`)).reverse())
    spawnSync('umount', ['--lazy', place], { stdio: 'ignore' });
}

function removeScratch(scratch) {
  unmountBelow(scratch);
  try {
    rmSync(scratch, { recursive: true, force: true });
  } catch (error) {
    process.stdout.write(`== ${scratch} could not be removed: ${error.message}\n`);
  }
}

/** A private home, no buses, no display, no sound server. */
function testEnvironment(scratch) {
  const kept = Object.entries(cleanEnvironment()).filter(
    ([name]) => !/^(XDG_|DBUS_|SERVICE_|HOSTLER_(?!GUEST_KERNEL$)|PULSE_|DISPLAY$|WAYLAND_)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    HOME: scratch,
    TMPDIR: path.join(scratch, 'tmp'),
    XDG_CONFIG_HOME: path.join(scratch, 'config'),
    XDG_STATE_HOME: path.join(scratch, 'state'),
    XDG_DATA_HOME: path.join(scratch, 'data'),
    XDG_CACHE_HOME: path.join(scratch, 'cache'),
  };
}

/** Counts of a JUnit report, how long each file took, and what failed. */
export function readReport(xml) {
  const attributes = /<testsuites\b([^>]*)>/.exec(xml)?.[1];
  if (attributes === undefined) return null;
  const number = (name) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1] ?? 0);
  const failed = number('failures') + number('errors');
  const skipped = number('skipped');
  // Only files are on the second level; describe blocks are deeper.
  const files = [...xml.matchAll(/^ {2}<testsuite name="([^"]*)"[^>]*? time="([\d.]+)"/gm)].map(
    ([, file, seconds]) => ({
      file,
      seconds: Number(seconds),
    }),
  );
  return { passed: number('tests') - failed - skipped, failed, skipped, files, failures: readFailures(xml) };
}

const failedCase = /<testcase ([^>]*)>\s*<(?:failure|error)\b[^>]*?(?:\/>|>([^<]*)<)/g;

function readFailures(xml) {
  return [...xml.matchAll(failedCase)].map(([, attributes, text = '']) => {
    const of = (name) => plain(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    return { file: of('file'), test: [of('classname'), of('name')].filter(Boolean).join(' > '), error: plain(text) };
  });
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(text) {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code === undefined ? (entities[name] ?? whole) : String.fromCodePoint(Number(code)),
  );
}
