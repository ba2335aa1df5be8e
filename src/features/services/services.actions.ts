import { type ActionContext, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createJobQueue } from '../../core/job-queue.ts';
import { keepJson } from '../../core/json/prepared-json.ts';
import { createPlaces } from '../../core/places.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { ServiceError } from '../../lib/errors.ts';
import { controlServiceUse } from './services.agent.ts';
import { parseUnitName, type ServiceControl, serviceWords } from './services.contract.ts';
import type {
  ServiceLogsInput,
  ServiceLogsOutput,
  ServiceOrderInput,
  ServiceOrderOutput,
  Services,
  ServiceVerb,
} from './services.schema.ts';

const controls: PerPlatform<ServiceControl> = {
  linux: async () => (await import('./linux/services.control.ts')).serviceControlLinux,
  windows: async () => (await import('./windows/services.control.ts')).serviceControlWindows,
};
const what = 'Controlling services';
const schemas = () => import('./services.schema.ts');
const scopes = ['services'] as const;

/** Limit of concurrent orders: one that hangs must not queue others without bound. */
const mostAtOnce = 16;
const underWay = () => createPlaces(mostAtOnce, 'Too many services are being changed already; try again later', 10);

const serviceOrder = (verb: ServiceVerb) =>
  defineAction<ServiceOrderInput, ServiceOrderOutput>({
    name: `service.${verb}`,
    description: serviceWords[verb].description,
    input: async () => (await schemas()).serviceOrderInputSchema,
    output: async () => (await schemas()).serviceOrderOutputSchema,
    title: ({ unit }, { services: { allowlist } }) => {
      const known = allowlist.find((each) => each === unit);
      return known === undefined ? undefined : `${capitalised(verb)} ${known}`;
    },
    scopes,
    effect: verb === 'enable' || verb === 'disable' ? 'write' : 'disrupt',
    example: { unit: 'nginx.service' },
    wire: { event: `SERVICE_${verb.toUpperCase()}`, reply: `SERVICE_${serviceWords[verb].past.toUpperCase()}` },
    agent: controlServiceUse(verb),
    unavailable: async ({ host, settings }) =>
      (await unavailableFor(host, controls, what)) ??
      (settings().services.allowlist.length > 0
        ? null
        : 'No service is allowed yet; add one to services.allowlist in the settings, on the machine itself'),
    async run({ unit }, context) {
      const control = await requireFor(context.host, controls, what);
      const problem = control.nameProblem(unit);
      if (problem !== null) throw new ServiceError('invalid', `unit: ${problem}`);
      refuseUnlisted(unit, context);
      const answer = await context.keep(underWay).run(shareIdOf(context.caller), () => {
        note(context, `orders to ${verb}`, unit);
        return control.order(parseUnitName(unit), verb);
      });
      const { past } = serviceWords[verb];
      const state = answer.active_state === null ? '' : ` and is ${answer.active_state} (${answer.sub_state})`;
      return {
        message: answer.done ? `${unit} was ${past}${state}` : `${unit} is being ${past}; this is taking longer`,
        data: { unit, action: verb, ...answer },
      };
    },
  });

/** Runs before the system is queried: whether an unlisted unit exists is not revealed. */
function refuseUnlisted(unit: string, { settings }: Pick<ActionContext, 'settings'>): void {
  if (settings().services.allowlist.includes(unit)) return;
  throw new ServiceError(
    'forbidden',
    `${JSON.stringify(unit)} is not in services.allowlist in the settings, so nothing was done; the owner can add it on the machine itself`,
  );
}

const note = ({ log, caller }: ActionContext, did: string, unit: string) =>
  log.info(`services: ${caller.tokenName} at ${caller.connection().address} ${did} ${JSON.stringify(unit)}`);

const usualLines = 50;

const serviceLogs = defineAction<ServiceLogsInput, ServiceLogsOutput>({
  name: 'service.logs',
  description: 'Reads the last lines a service has written to the system log',
  input: async () => (await schemas()).serviceLogsInputSchema,
  output: async () => (await schemas()).serviceLogsOutputSchema,
  scopes,
  effect: 'read',
  readAt: '/api/service/logs',
  example: { unit: 'nginx.service', lines: 50 },
  wire: { event: 'GET_SERVICE_LOGS', reply: 'SERVICE_LOGS' },
  unavailable: async ({ host }) => await unavailableFor(host, controls, what),
  async run({ unit, lines = usualLines }, { host, read, keep, caller, signal }) {
    const control = await requireFor(host, controls, what);
    const { name, scope } = parseUnitName(unit);
    // The payload follows the schema of the module.
    const { units } = (await read('services')).payload as Services;
    if (!units.some((known) => known.name === name && known.scope === scope))
      throw new ServiceError(
        'not_found',
        `There is no unit ${JSON.stringify(unit.slice(0, 100))} among the services of this machine`,
      );
    const asker = { tokenId: shareIdOf(caller), signal };
    const data = await keep(logReaders).run(JSON.stringify([unit, lines]), asker, async () =>
      keepJson({ unit, ...(await control.logs({ name, scope }, lines)) }),
    );
    return { message: '', data };
  },
});

/** One log is read at a time; the others wait. */
const mostLogs = 16;
const mostLogsOfOne = 4;
const logReaders = () =>
  createJobQueue<ServiceLogsOutput>({
    atOnce: 1,
    inAll: mostLogs,
    perCaller: mostLogsOfOne,
    full: 'Too many logs are being read; try again',
  });

export const serviceActions = [...(Object.keys(serviceWords) as ServiceVerb[]).map(serviceOrder), serviceLogs];
