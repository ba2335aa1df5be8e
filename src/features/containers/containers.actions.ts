import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { loadFor, type PerPlatform, requireFor, unsupportedHere } from '../../core/platform.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { ServiceError } from '../../lib/errors.ts';
import { controlContainerUse } from './containers.agent.ts';
import type { ContainerControl } from './containers.contract.ts';
import type { ContainerInput, ContainerLogs, ContainerLogsInput, ContainerOutput } from './containers.schema.ts';
import { type ContainerVerb, containerVerbs, containerWords } from './containers.verbs.ts';

const controls: PerPlatform<ContainerControl> = {
  linux: async () => (await import('./linux/containers.control.ts')).containerControlLinux,
  windows: async () => (await import('./containers.control.windows.ts')).containerControlWindows,
};
const what = 'Controlling containers';
const scopes = ['containers'] as const;
const schemas = () => import('./containers.schema.ts');

const usualLines = 100;
const mostAtOnce = 16;

/** Limits concurrent orders and log requests: each holds a connection, for as long as a container takes to stop. */
const running = () => createPlaces(mostAtOnce, 'Too many container requests are running; wait for one to finish');

const withinLimit = <T>({ keep, caller }: ActionContext, work: () => Promise<T>): Promise<T> =>
  keep(running).run(shareIdOf(caller), work);

const noEngine = async ({ host, settings }: Pick<ActionParts, 'host' | 'settings'>) =>
  (await loadFor(host, controls))?.().unavailable(settings().containers.sockets) ?? null;

const isUnsupported = async ({ host }: Pick<ActionParts, 'host'>) =>
  (await loadFor(host, controls)) === null ? unsupportedHere(what) : null;

const containerAction = (verb: ContainerVerb) =>
  defineAction<ContainerInput, ContainerOutput>({
    name: `container.${verb}`,
    description: containerWords[verb].description,
    input: async () => (await schemas()).containerInputSchema,
    output: async () => (await schemas()).containerOutputSchema,
    title: ({ name }, { containers: { allowlist } }) => {
      const known = allowlist.find((each) => each === name);
      return known === undefined ? undefined : `${capitalised(verb)} ${known}`;
    },
    scopes,
    effect: 'disrupt',
    example: { name: 'web' },
    wire: { event: `CONTAINER_${verb.toUpperCase()}`, reply: `CONTAINER_${containerWords[verb].done.toUpperCase()}` },
    agent: controlContainerUse(verb),
    entities: async () => (await import('./containers.controls.ts')).containerEntities(verb),
    async unavailable(parts) {
      const missing = (await isUnsupported(parts)) ?? (await noEngine(parts));
      if (missing !== null) return missing;
      return parts.settings().containers.allowlist.length > 0
        ? null
        : 'No container is allowed yet; add its name to containers.allowlist in the settings, on the machine itself';
    },
    async run({ name, engine }, context) {
      const { allowlist, sockets } = context.settings().containers;
      if (!allowlist.includes(name)) throw notAllowed(name);
      const control = await requireFor(context.host, controls, what);
      const { log, caller, orderSignal: signal } = context;
      const { message, ...data } = await withinLimit(context, () =>
        control.order(verb, { name, engine, sockets, signal }),
      );
      const by = `${caller.tokenName} at ${caller.connection().address}`;
      log.info(`containers: ${JSON.stringify(name)} of ${data.engine} was ${containerWords[verb].done} by ${by}`);
      return { message, data };
    },
  });

const notAllowed = (name: string) =>
  new ServiceError('forbidden', `The container ${JSON.stringify(name)} is not in containers.allowlist in the settings`);

const containerLogs = defineAction<ContainerLogsInput, ContainerLogs>({
  name: 'container.logs',
  description: 'Shows the last lines that a container wrote',
  input: async () => (await schemas()).containerLogsInputSchema,
  output: async () => (await schemas()).containerLogsSchema,
  scopes,
  effect: 'read',
  readAt: '/api/containers/logs',
  example: { name: 'web', lines: 50 },
  wire: { event: 'GET_CONTAINER_LOGS', reply: 'CONTAINER_LOGS' },
  unavailable: async (parts) => (await isUnsupported(parts)) ?? (await noEngine(parts)),
  async run({ name, engine, lines = usualLines }, context) {
    const control = await requireFor(context.host, controls, what);
    const { sockets } = context.settings().containers;
    const wanted = { name, engine, sockets, signal: context.signal };
    return { message: '', data: await withinLimit(context, () => control.logs(wanted, lines)) };
  },
});

export const containerActions = [...containerVerbs.map(containerAction), containerLogs];
