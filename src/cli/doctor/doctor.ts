import path from 'node:path';
import { crashesOf } from '../../app/crash/crash-handler.ts';
import { exposedPlace } from '../../app/directory-permissions.ts';
import { findInstallation } from '../../app/installation/find-installation.ts';
import { checkStateVersion } from '../../app/state-version.ts';
import { version } from '../../app/version.ts';
import { actions, defaultSettings, features, settingsCatalogue } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { messageOf } from '../../lib/errors.ts';
import { NewerFile, UnusableFile } from '../../lib/file-version.ts';
import { createLog, type Log } from '../../lib/log.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { openSettings, type SettingsStore, settingsFileName } from '../../settings/settings.ts';
import { mqttRoutes } from '../../transports/mqtt/announced.ts';
import type { CliContext } from '../context.ts';
import { moduleStates } from '../modules.ts';
import { brokerGrant } from '../mqtt/mqtt.status.ts';
import { findService, howToStart, type ServiceClient } from '../running-service.ts';
import { actionLines, type CheckedAction } from './doctor.actions.ts';
import { fixable } from './doctor.fixable.ts';
import { mark, moduleLines } from './doctor.modules.ts';

/** Used where standard output is not a terminal. */
const usualColumns = 100;
/** The list in JSON has all of them. */
const mostCrashes = 3;

/** What can be fixed, and how. `all`: every module and action, also what works and what this machine does not have. */
export async function doctor(context: CliContext, { all = false }: { all?: boolean }): Promise<void> {
  const { host, print } = context;
  const complaints: string[] = [];
  const quiet = createLog(() => {}, 'ERROR');
  const note = (sentence: string) => void complaints.push(sentence);
  const log: Log = { ...quiet, warn: note, error: note };
  const { settings, locks } = await settingsOrDefaults(host, log);
  const unsafe = exposedPlace(host);
  const problems = unsafe === null ? [] : [unsafe];
  // Content that other users could have written is not trusted.
  const service = unsafe === null ? await findOrNote(host, (sentence) => problems.push(sentence)) : null;
  problems.push(...((await host.foreignServers?.()) ?? []).map(capitalised));
  host.launch.onRefused((sentence) => problems.push(sentence));
  const crashes = unsafe === null ? crashesOf(host) : [];
  const states = await moduleStates(host, service, { settings, locks });
  const actionStates = await checkActions(host, settings, quiet);
  if (context.isJson) {
    const { pid, port, securePort } = service?.info ?? {};
    const running = service && { pid, port, tls_port: securePort, version: service.version };
    const { config, state } = host.paths;
    const said = { complaints: [...problems, ...complaints], crashes, locks };
    const found = { version, service: running, config, state, ...said, modules: states, actions: actionStates };
    return await context.answer(found);
  }
  print(`Hostler ${version}`);
  print(await serviceLine(service, context));
  for (const problem of problems) print(mark('✗', 'problem', problem));
  for (const line of settingsLines(host, complaints)) print(line);
  if (locks !== null) print(mark('✓', 'locked settings', `${locks.keys.join(', ')}; by ${locks.file}`));
  print(stateLine(host));
  for (const { time, version: of, file } of crashes.slice(-mostCrashes))
    print(mark('✗', 'crash', `${of} at ${time}; the report without secrets is ${file}`));
  for (const line of await mqttLines(settings.mqtt, service)) print(line);
  for (const line of await otlpLines(settings, service)) print(line);
  for (const line of await installationLines(host)) print(mark('·', 'desktop', line));
  const shown = all ? { modules: states, actions: actionStates } : fixable(features, states, actionStates);
  printList(context, 'Modules', shown.modules.flatMap(moduleLines));
  printList(context, 'Actions', actionLines(shown.actions, context.screen().columns ?? usualColumns));
  if (all) return;
  const fine = counted(states.length - shown.modules.length, 'module');
  const others = counted(actionStates.length - shown.actions.length, 'action');
  print(`\n${fine} and ${others} have nothing to fix; "${ownCommand('doctor --all')}" lists them too.`);
}

function printList({ print }: CliContext, title: string, lines: string[]): void {
  if (lines.length > 0) print(`\n${title}`);
  for (const line of lines) print(line);
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Settings that prevent the start of the service are a finding, not the end of the report. */
async function settingsOrDefaults(
  host: Host,
  log: Log,
): Promise<{ settings: Settings; locks: ReturnType<SettingsStore['locks']> }> {
  try {
    const opened = await openSettings(settingsCatalogue, host, log);
    return { settings: opened.current(), locks: opened.locks() };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    log.error(error.message);
    return { settings: defaultSettings, locks: null };
  }
}

/** A running service that does not answer is a finding, not the end of the report. */
async function findOrNote(host: Host, note: (sentence: string) => void): Promise<ServiceClient | null> {
  try {
    return await findService(host);
  } catch (error) {
    note(messageOf(error));
    return null;
  }
}

async function serviceLine(service: ServiceClient | null, context: CliContext): Promise<string> {
  if (service === null) return mark('✗', 'service', `not running; ${await howToStart(context)}`);
  return mark('✓', 'service', `running as process ${service.info.pid} on ${portsOf(service)}`);
}

function portsOf({ info: { port, securePort } }: ServiceClient): string {
  return [port && `port ${port}`, securePort && `port ${securePort} (TLS)`].filter(Boolean).join(' and ');
}

function settingsLines({ storage, paths }: Host, complaints: string[]): string[] {
  const file = path.join(paths.config, settingsFileName);
  if (complaints.length > 0) return complaints.map((complaint) => mark('✗', 'settings', complaint));
  return [mark('✓', 'settings', storage.signature(file) === null ? `defaults; there is no ${file}` : file)];
}

/** Only where it is set up. */
async function otlpLines({ otlp }: Settings, service: ServiceClient | null): Promise<string[]> {
  if (otlp.endpoint === '') return [];
  const { otlpLine } = await import('../otlp.ts');
  const { sign, text } = otlpLine(otlp.endpoint, service === null ? undefined : await reportOf(service), Date.now());
  return [mark(sign, 'otlp', text)];
}

/** An older version does not know this route. */
const reportOf = (service: ServiceClient) => service.get('/otlp').catch(() => null);

/** How the system starts it, on platforms that Hostler supports. */
async function installationLines(host: Host): Promise<string[]> {
  try {
    const installation = await findInstallation(host);
    if (installation === null) return [];
    return [...(await installation.state()).lines, ...((await installation.reach?.()) ?? [])];
  } catch (error) {
    return [`cannot be queried: ${messageOf(error)}`];
  }
}

/** The same checks as at the start of the service. */
function stateLine({ storage, paths }: Host): string {
  try {
    if (storage.signature(paths.state) === null) {
      // Nothing is created by this check: the parent directory has to be usable.
      storage.prepareDirectory(nearestExisting(storage, paths.state));
      return mark('✓', 'state', `${paths.state}; it is created at the first start`);
    }
    storage.prepareDirectory(paths.state);
    checkStateVersion({ storage, paths });
    return mark('✓', 'state', paths.state);
  } catch (error) {
    if (error instanceof NewerFile) return mark('✗', 'state', error.message);
    return mark(
      '✗',
      'state',
      `${paths.state} cannot be used: ${messageOf(error)}. Fix its permissions, or set SERVICE_STATE_DIR`,
    );
  }
}

function nearestExisting(storage: Host['storage'], place: string): string {
  const above = path.dirname(place);
  return storage.signature(place) !== null || above === place ? place : nearestExisting(storage, above);
}

/** A broker is outside this machine, so its permissions are listed. */
async function mqttLines(mqtt: Settings['mqtt'], service: ServiceClient | null): Promise<string[]> {
  if (mqtt.url === '') return [];
  const status = await service?.get(mqttRoutes.status).catch(() => null);
  // ?: not known now.
  const sign = isObject(status) ? (status.connected === true ? '✓' : '✗') : '?';
  const isOpen = mqtt.scopes.some((scope) => scope !== 'read');
  return [
    mark(sign, 'mqtt', mqtt.url),
    ...(isObject(status) && typeof status.problem === 'string' ? [`      ✗ ${status.problem}`] : []),
    `      ${isOpen ? '!' : '·'} ${brokerGrant(mqtt.scopes)}`,
  ];
}

async function checkActions(host: Host, settings: Settings, log: Log): Promise<CheckedAction[]> {
  return await Promise.all(
    actions.map(async (action) => {
      const reason = await action.unavailable({ host, log, settings: () => settings });
      return { name: action.name, available: reason === null, reason };
    }),
  );
}
