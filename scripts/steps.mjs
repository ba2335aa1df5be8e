// The steps of a check. Every step and every test counts; the sum is the last line.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { bunPath, cleanEnvironment, root } from './installed.mjs';

const tool = (name) => path.join(root, 'node_modules', '.bin', name);

/**
 * Runs steps one after the other, prints a summary and exits. A step takes a signal that aborts when the run is interrupted, and returns
 * { name, passed, failed, skipped }; a step that runs tests also returns `files` with their times, `failures`, and `flaky`: tests that failed
 * only at first. With `stopAtFirst` the first failing step is the last one, and its error the last thing printed before the count.
 */
export async function runSteps(steps, { stopAtFirst = false } = {}) {
  const interruption = onInterruption();
  const results = [];
  const hasFailed = () => results.some(({ failed }) => failed > 0);
  for (const step of steps) {
    if (interruption.aborted || (stopAtFirst && hasFailed())) break;
    const from = performance.now();
    results.push({ ...(await step(interruption)), seconds: (performance.now() - from) / 1000 });
  }
  if (!stopAtFirst || !hasFailed()) showTimes(results);
  showFailures('flaky, to be fixed: these failed at first and passed alone', results, 'flaky');
  showFailures('what failed', results, 'failures');
  const sum = (count) => results.reduce((total, result) => total + result[count], 0);
  const wrong = results.filter(({ failed }) => failed > 0).map(({ name }) => name);
  const interrupted = interruption.aborted;
  const notRun = steps.length - results.length;
  if (wrong.length > 0 && !interrupted)
    say(`failed: ${wrong.join(', ')}; see above${notRun > 0 ? ` (steps not run: ${notRun})` : ''}`);
  if (interrupted) say(`interrupted by ${interruption.reason}; every process of the run has been ended`);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  say(`${sum('passed')} passed, ${sum('failed')} failed${skipped}`);
  process.exit(interrupted ? 130 : sum('failed') === 0 && sum('passed') > 0 ? 0 : 1);
}

const say = (line) => process.stdout.write(`${line}\n`);

function showTimes(results) {
  say('== how long it took');
  for (const { name, seconds } of results) say(`${duration(seconds)}  ${name}`);
  const files = results.flatMap((result) => result.files ?? []).sort((a, b) => b.seconds - a.seconds);
  if (files.length <= 10) return;
  say('== the ten slowest test files');
  for (const { file, seconds } of files.slice(0, 10)) say(`${duration(seconds)}  ${file}`);
}

function showFailures(title, results, kind) {
  const failures = results.flatMap((result) => result[kind] ?? []);
  if (failures.length > 0) say(`== ${title}`);
  for (const { file, test, error } of failures) say(`${file}: ${test}\n${error.trimEnd().slice(0, longestError)}`);
}

/** For the message of a failed test; the whole message is printed further up. */
const longestError = 1500;

/** Aborts, with the reason, when the run is interrupted: by a signal, or by killing the npm that started it. */
export function onInterruption() {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interruption.abort(signal));
  const parent = process.ppid;
  const look = () => process.ppid !== parent && interruption.abort('the end of npm');
  if (process.env.npm_lifecycle_event !== undefined) setInterval(look, 1000).unref();
  return interruption.signal;
}

const duration = (seconds) => {
  const whole = Math.round(seconds);
  return `${String(Math.floor(whole / 60)).padStart(4)} min ${String(whole % 60).padStart(2)} s`;
};

/** One program whose exit code is the verdict. */
export function step(name, program, args) {
  return async (interrupted) => {
    process.stdout.write(`== ${name}\n`);
    const child = spawn(program, args, { cwd: root, stdio: 'inherit', env: cleanEnvironment() });
    const status = await endOf(child, interrupted);
    if (status !== 0) process.stdout.write(`== ${name} failed\n`);
    return { name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
  };
}

/** Steps side by side, as one: none of them uses all cores for long. */
export function together(name, steps) {
  return async (interrupted) => {
    const results = await Promise.all(steps.map((each) => each(interrupted)));
    const sum = (count) => results.reduce((total, result) => total + result[count], 0);
    return { name, passed: sum('passed'), failed: sum('failed'), skipped: 0 };
  };
}

/** The exit code of a program; an interruption is forwarded to it, and its end is still awaited. */
export function endOf(child, interrupted) {
  const end = () => child.kill('SIGTERM');
  interrupted.addEventListener('abort', end);
  if (interrupted.aborted) end();
  return new Promise((resolve) => {
    const done = (status) => {
      interrupted.removeEventListener('abort', end);
      resolve(status);
    };
    child.once('error', (error) => {
      process.stdout.write(`${error.message}\n`);
      done(1);
    });
    child.once('exit', (code) => done(code ?? 1));
  });
}

export const typesStep = () => step('types', tool('tsc'), ['--noEmit']);
export const webTypesStep = () => step('types of the dashboard', tool('tsc'), ['--noEmit', '-p', 'web']);
export const lintStep = () =>
  step('lint and formatting', tool('biome'), ['ci', '--colors=off', '--error-on-warnings', '.']);
export const buildStep = () => step('build', process.execPath, [path.join('scripts', 'build.mjs')]);
export const freshStep = () =>
  step('generated files are fresh', process.execPath, [path.join('scripts', 'generate.mjs'), '--check']);
export const budgetStep = () => step('budget of memory and CPU', bunPath(), [path.join('bench', 'budget.ts')]);
