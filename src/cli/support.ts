import { isIP } from 'node:net';
import { firstTokenName, openTokens } from '../access/tokens/tokens.ts';
import { parseTargetAddress } from '../alerts/targets/address.ts';
import { readTargetUrls } from '../alerts/targets/target-store.ts';
import { version } from '../app/version.ts';
import { answering } from '../core/command.ts';
import { scopes, settingsCatalogue } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import { createTextScrubber } from '../host/recording/scrub-text.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { withoutSecrets } from '../lib/mask-url.ts';
import { isObject } from '../lib/values.ts';
import { openSettings } from '../settings/settings.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { doctor } from './doctor/doctor.ts';
import { findService } from './running-service.ts';

const mostLogLines = 200;

/** What a bug report needs, without names, addresses and secrets: the user reviews and sends it. */
export async function printSupport(context: CliContext): Promise<void> {
  const { host, print } = context;
  const { environment } = host;
  const said = await diagnosis(context);
  const log = await lastLines(context);
  const facts = {
    hostler: version,
    runtime: `Bun ${process.versions.bun ?? ''}`,
    system: `${host.platform ?? 'unknown'} ${environment.kernel} ${environment.machine}`,
    uptime_seconds: Math.round(environment.uptime()),
  };
  const scrub = await createSupportScrubber(host, [...said, ...log]);
  const clean = (lines: string[]) => lines.map(scrub);
  if (context.isJson) return await context.answer({ ...facts, doctor: clean(said), log: clean(log) });
  print(['```', ...Object.entries(facts).map(([name, value]) => `${name.padEnd(15)} ${value}`), ''].join('\n'));
  for (const line of clean(said)) print(line);
  print(`\nLast lines of the log${log.length === 0 ? ': none, the service does not run' : ''}`);
  for (const line of clean(log)) print(`  ${line}`);
  print('```');
}

/** Removes secrets and names. `lines`: all that is printed; it may name what the settings and the tokens no longer do. */
export async function createSupportScrubber(host: Host, lines: string[]): Promise<(line: string) => string> {
  const { environment, network } = host;
  const configured = await configuredNames(host, lines);
  const targets = await targetNames(host);
  const hosts = [...configured.hosts, ...targets.hosts.flatMap(spellings)];
  const userNames = [...configured.userNames, ...targets.userNames];
  const scrubber = createTextScrubber({
    hostname: environment.hostname(),
    people: [environment.userName, ...userNames].filter((name) => name !== 'root'),
    homes: [environment.home],
    searchDomains: [...network.searchDomains(), ...hosts.map(parentOf)],
    serials: [],
    hosts,
    tokens: tokenNames(host, lines),
  });
  return (line) => scrubber.text(withoutSecrets(line));
}

/** Of the settings, and the hosts of the URLs that are printed: the settings may have changed since, or be damaged. */
async function configuredNames(host: Host, lines: string[]): Promise<{ hosts: string[]; userNames: string[] }> {
  // A name without a dot is mostly a placeholder there.
  const printed = hostsIn(lines.join('\n')).filter((name) => name.includes('.'));
  try {
    const log = createLog(() => {}, 'ERROR');
    const settings = (await openSettings(settingsCatalogue, host, log)).current();
    const { security, server, mqtt, dashboard } = settings;
    const plain = [
      ...security.allowedHosts,
      server.host,
      mqtt.serverName,
      ...dashboard.machines.map(({ name }) => name),
    ];
    const hosts = [...hostsIn(JSON.stringify(settings)), ...plain.map((name) => name.replace(/^([^:]+):\d+$/, '$1'))];
    return { hosts: [...printed, ...hosts].flatMap(spellings), userNames: [mqtt.username] };
  } catch {
    return { hosts: printed.flatMap(spellings), userNames: [] };
  }
}

/** Of the URLs of alert targets: what went wrong with one may name its server. */
async function targetNames(host: Host): Promise<{ hosts: string[]; userNames: string[] }> {
  const urls = await readTargetUrls(host).catch(() => new Map<string, string>());
  const addresses = [...urls.values()].map(parseTargetAddress).filter((address) => address !== null);
  return {
    hosts: addresses.flatMap(({ authority, query }) => {
      const servers = [authority, query.get('smtp') ?? '', query.get('server') ?? ''];
      return servers.map((server) => server.replace(/^https?:\/\/|:\d+$/g, '')).filter((name) => name.includes('.'));
    }),
    userNames: addresses.map(({ user }) => user).filter((user) => user.length > 3),
  };
}

const hostsIn = (text: string) =>
  [...text.matchAll(/:\/\/(?:[^\s"'/@]*@)?([\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?)/gu)].map(
    ([, name = '']) => name,
  );

/** The name as it is and as a URL contains it. Empty for an address: addresses are replaced separately. */
const spellings = (name: string) => (isIP(name) !== 0 ? [] : [name, URL.parse(`http://${name}`)?.hostname ?? name]);

/** The domain of a host, which certificates and resolvers name on its own; empty for a name of two labels. */
const parentOf = (name: string) => /^[^.]+\.(.+\..+)$/.exec(name)?.[1] ?? '';

/** Those that exist, and those that the log names: they may be revoked by now. */
function tokenNames(host: Host, lines: string[]): string[] {
  const known = () => openTokens(scopes, host).list();
  const logged = lines.flatMap((line) => loggedNames.flatMap((form) => form.exec(line)?.[1] ?? []));
  return [...attempt(known).map(({ name }) => name), ...logged].filter((name) => name !== firstTokenName);
}

/** The forms in which the log names a token or a device: of a change, of a request, of an action with its caller, and of a device that asks. */
const loggedNames = [
  /\bcalls itself \\?"(.+?)\\?"/,
  /\baccess: "(.+?)" /,
  /\b(?:created|revoked|with) the token "?(.+?)"?(?: with [a-z_, ]+)?$/,
  /\bby "?(\S.*?)"? at (?:[\d.]{7,15}|[\da-f:]*:[\da-f:]+|\[)/,
  /\b(?!access|http|ws)[a-z]+: (?!.* by )"?(\S.*?)"? at (?:[\d.]{7,15}|[\da-f:]*:[\da-f:]+|\[)/,
];

/** A damaged file is a finding of the doctor. */
function attempt<T>(read: () => T[]): T[] {
  try {
    return read();
  } catch {
    return [];
  }
}

/** In the words of `doctor`. */
async function diagnosis(context: CliContext): Promise<string[]> {
  const lines: string[] = [];
  try {
    await doctor({ ...context, ...answering((line) => void lines.push(...line.split('\n')), false) }, { all: true });
  } catch (error) {
    lines.push(`The doctor failed: ${messageOf(error)}`);
  }
  return lines;
}

async function lastLines({ host }: CliContext): Promise<string[]> {
  try {
    const response = await (await findService(host))?.get(localRoutes.logs);
    const lines = isObject(response) && Array.isArray(response.lines) ? response.lines.map(String) : [];
    return lines.slice(-mostLogLines).flatMap((line) => line.split('\n'));
  } catch (error) {
    return [`The log cannot be read: ${messageOf(error)}`];
  }
}
