import { version } from '../app/version.ts';
import { createTextScrubber } from '../host/recording/scrub-text.ts';
import { messageOf } from '../lib/errors.ts';
import { maskUrlsIn } from '../lib/mask-url.ts';
import { isObject } from '../lib/values.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { doctor } from './doctor/doctor.ts';
import { findService } from './running-service.ts';

const mostLogLines = 200;

/** What a bug report needs, without names, addresses and secrets: the user reviews and sends it. */
export async function printSupport(context: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const { host, print } = context;
  const { environment } = host;
  const scrubber = createTextScrubber({
    hostname: environment.hostname(),
    people: environment.userName === 'root' ? [] : [environment.userName],
    homes: [environment.home],
    searchDomains: host.network.searchDomains(),
    serials: [],
  });
  const said = await diagnosis(context);
  const log = await lastLines(context);
  const facts = {
    hostler: version,
    runtime: `Bun ${process.versions.bun ?? ''}`,
    system: `${host.platform ?? 'unknown'} ${environment.kernel} ${environment.machine}`,
    uptime_seconds: Math.round(environment.uptime()),
  };
  const clean = (lines: string[]) => lines.map((line) => scrubber.text(withoutSecrets(line)));
  if (json) return print(JSON.stringify({ ...facts, doctor: clean(said), log: clean(log) }, null, 2));
  print(['```', ...Object.entries(facts).map(([name, value]) => `${name.padEnd(15)} ${value}`), ''].join('\n'));
  for (const line of clean(said)) print(line);
  print(`\nLast lines of the log${log.length === 0 ? ': none, the service does not run' : ''}`);
  for (const line of clean(log)) print(`  ${line}`);
  print('```');
}

/** In the words of `doctor`. */
async function diagnosis(context: CliContext): Promise<string[]> {
  const lines: string[] = [];
  try {
    await doctor({ ...context, print: (line) => void lines.push(...line.split('\n')) }, {});
  } catch (error) {
    lines.push(`The doctor failed: ${messageOf(error)}`);
  }
  return lines;
}

async function lastLines({ host }: CliContext): Promise<string[]> {
  try {
    const answer = await (await findService(host))?.get(localRoutes.logs);
    const lines = isObject(answer) && Array.isArray(answer.lines) ? answer.lines.map(String) : [];
    return lines.slice(-mostLogLines).flatMap((line) => line.split('\n'));
  } catch (error) {
    return [`The log cannot be read: ${messageOf(error)}`];
  }
}

/** Secrets are never logged. As a precaution URLs lose everything after their host, and long random words are removed, also from paths. */
export const withoutSecrets = (line: string) =>
  maskUrlsIn(line).replace(
    /(?<![A-Za-z0-9+_-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{32,}(?![A-Za-z0-9+_-])/g,
    '(left out)',
  );
