import { crashesOf } from '../app/crash/crash-handler.ts';
import { outline, plain } from '../lib/text-table.ts';
import { durationInWords } from '../lib/units.ts';
import { isObject } from '../lib/values.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { moduleStates } from './modules.ts';
import { findService, howToStart } from './running-service.ts';

/** Whether it is running, where, since when, and whether something is missing. Fails if none is running, for scripts. */
export async function printStatus(context: CliContext): Promise<void> {
  const { host, print, isJson, answer, command } = context;
  const service = await findService(host);
  const crashes = crashesOf(host);
  const newest = crashes.at(-1);
  const crashed =
    newest && `${crashes.length} in the past week, the newest at ${newest.time}; its report is ${newest.file}`;
  if (service === null) {
    if (isJson || crashed !== undefined) await answer({ running: false, crashes }, outline({ crashes: crashed }));
    throw new Error(`The service is not running; ${await howToStart(context)}`);
  }
  const response = await service.get(localRoutes.status);
  const { started, listeners } = isObject(response) ? response : {};
  const states = await moduleStates(host, service);
  const system = await service.get(localRoutes.data('system')).catch(() => null);
  const session = await service.get(localRoutes.data('session')).catch(() => null);
  const awake = isObject(session) && Array.isArray(session.keep_awake) ? session.keep_awake.filter(isObject) : [];
  const newer = isObject(system) && system.version_newer_available === true ? system : null;
  const named = (wanted: string) =>
    states.filter(({ availability }) => availability === wanted).map(({ name }) => name);
  const { pid, port, securePort } = service.info;
  const facts = {
    version: service.version,
    pid,
    started,
    address: service.base,
    port,
    tls_port: securePort,
    listeners,
    keep_awake: awake,
    newer_version: newer?.version_latest ?? null,
  };
  const modules = { available: named('available'), degraded: named('degraded'), unavailable: named('unavailable') };
  if (isJson) return await answer({ running: true, ...facts, modules, crashes });
  const seconds = (host.clock.now() - Date.parse(String(started))) / 1000;
  print(
    outline({
      service: `Hostler ${service.version}, process ${pid}, for ${durationInWords(Math.max(0, seconds))}`,
      address: service.base,
      listeners: String(listeners),
      modules: `${modules.available.length} of ${states.length} complete`,
      ...(modules.degraded.length > 0 ? { incomplete: modules.degraded.join(', ') } : {}),
      ...(modules.unavailable.length > 0 ? { missing: modules.unavailable.join(', ') } : {}),
      ...(awake.length > 0 ? { awake: awake.map(awakeInWords).join('; ') } : {}),
      ...(crashed === undefined ? {} : { crashes: crashed }),
      ...(newer === null ? {} : { update: `Hostler ${newer.version_latest} is available` }),
    }),
  );
  if (modules.degraded.length + modules.unavailable.length > 0)
    print(`\n"${command} doctor" shows what is missing and how to fix it.`);
}

const awakeInWords = ({ reason, token, until, id }: Record<string, unknown>) =>
  plain(`kept until ${new Date(Number(until) * 1000).toISOString()} by ${token}: ${reason} (${id})`);
