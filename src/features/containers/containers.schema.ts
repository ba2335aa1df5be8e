import { z } from 'zod';
import { quantity, quantityOrNull } from '../../core/quantity.schema.ts';

const bytes = (meaning: string) => quantity('bytes', `${meaning}, bytes`);
const rate = (meaning: string) => quantityOrNull('bytes', `${meaning}, bytes per second`);

const engineSchema = z.object({
  id: z
    .string()
    .describe(
      'Name of the engine here: docker or podman, with -rootless where it runs without root, and a number where there are several',
    ),
  name: z.enum(['docker', 'podman']).describe('Which engine it is'),
  version: z.string().nullable().describe('Its version'),
  rootless: z.boolean().nullable().describe('Whether it runs without the rights of root'),
  socket: z.string().describe('Path of the socket where it answers'),
  reachable: z.boolean().describe('Whether it answers'),
  problem: z.string().nullable().describe('Why it does not answer, and what to do about it'),
});

const portSchema = z.object({
  container_port: z.int().describe('Port inside the container'),
  protocol: z.string().describe('tcp, udp or sctp'),
  host_address: z.string().describe('Address of this machine it is published at; empty: all'),
  host_port: z.int().describe('Port of this machine'),
});

export const containerSchema = z.object({
  id: z.string().describe('ID of the container, 64 hexadecimal digits'),
  name: z.string().describe('Name of the container'),
  engine: z.string().describe('id of the engine it belongs to'),
  image: z.string().describe('Image it was made from, as it was named then'),
  state: z
    .enum(['created', 'running', 'paused', 'restarting', 'stopping', 'removing', 'exited', 'dead', 'unknown'])
    .describe('What it does; created: it was never started'),
  health: z.enum(['starting', 'healthy', 'unhealthy']).nullable().describe('Result of its health check'),
  since: quantityOrNull(
    'unix_seconds',
    'When it was started, or when it ended, or when it was created if it was never started; Unix seconds',
  ),
  exit_code: z.int().nullable().describe('Exit code of its first process, once that has ended'),
  oom: z.boolean().describe('Whether the kernel ended it for lack of memory when it last ended'),
  restarts: z.int().nullable().describe('How often the engine has restarted it automatically'),
  cpu_usage: quantityOrNull('percent', 'Processor time used lately, percent; 100 is one core'),
  cpu_seconds: quantityOrNull('seconds', 'Processor time since its start, seconds'),
  memory_used: bytes('Memory in use, without the cache that could be dropped at once').nullable(),
  memory_with_cache: bytes('Memory in use with all of its cache').nullable(),
  memory_limit: bytes('Most memory it may use').nullable(),
  network: z
    .object({
      received_bytes: bytes('Received since its start'),
      sent_bytes: bytes('Sent since its start'),
      received_per_second: rate('Received lately'),
      sent_per_second: rate('Sent lately'),
    })
    .nullable()
    .describe('Traffic of its own network, without the loop'),
  disk: z
    .object({
      read_bytes: bytes('Read from disks since its start'),
      written_bytes: bytes('Written to disks since its start'),
      read_per_second: rate('Read lately'),
      written_per_second: rate('Written lately'),
    })
    .nullable()
    .describe('Disk I/O'),
  ports: z.array(portSchema).describe('Ports that are published on this machine'),
  compose_project: z.string().nullable().describe('Project of Compose it belongs to'),
  compose_service: z.string().nullable().describe('Service of that project'),
  allowed: z
    .boolean()
    .describe('Whether containers.allowlist in the settings names it, so that it can be started and stopped'),
  update_available: z.null().describe('Always null: engines do not compare an image with its registry'),
});

export const containersSchema = z.object({
  engines: z.array(engineSchema).describe('Container engines whose sockets are on this machine'),
  containers: z.array(containerSchema).describe('Their containers, in the order of their names'),
});

export type Containers = z.infer<typeof containersSchema>;
export type ContainerEntry = Containers['containers'][number];
export type ContainerEngineEntry = Containers['engines'][number];

/** Names that engines accept; nothing else may become part of an API path. */
const containerName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'the exact name of a container: letters, digits, _, . and -')
  .describe('Exact name of the container');

const engine = z
  .string()
  .max(64)
  .optional()
  .describe(
    'id of its engine, as the module containers has it; needed where two engines have a container of this name',
  );

/** Unknown fields are refused, because they would have no effect. */
export const containerInputSchema = z.strictObject({ name: containerName, engine });
export type ContainerInput = z.infer<typeof containerInputSchema>;

export const containerOutputSchema = z.object({
  name: z.string(),
  id: z.string().describe('ID of the container that it was done to'),
  engine: z.string().describe('id of its engine'),
  state: z.string().describe('State of the container, as the engine reports it'),
  changed: z.boolean().describe('false: it was so already'),
});
export type ContainerOutput = z.infer<typeof containerOutputSchema>;

/** Query parameters are text. */
const numeral = (schema: z.ZodInt) =>
  z.preprocess((given) => (typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : given), schema);

export const mostLogLines = 500;

export const containerLogsInputSchema = z.strictObject({
  name: containerName,
  engine,
  lines: numeral(z.int().min(1).max(mostLogLines))
    .optional()
    .describe(`How many of the last lines, at most ${mostLogLines}; 100 unless given`),
});
export type ContainerLogsInput = z.infer<typeof containerLogsInputSchema>;

export const containerLogsSchema = z.object({
  name: z.string(),
  id: z.string(),
  engine: z.string(),
  lines: z
    .array(
      z.object({
        time: z.string().describe('When it was written, ISO 8601; empty: the engine does not report it'),
        stream: z.enum(['stdout', 'stderr']).describe('A container with a terminal has stdout only'),
        text: z.string().describe('At most 4096 characters'),
      }),
    )
    .describe('The oldest first'),
  truncated: z
    .boolean()
    .describe('Whether something was left out: the output is larger than what is read of it, or a line is too long'),
});
export type ContainerLogs = z.infer<typeof containerLogsSchema>;

/** Input and output of the agent tool. */
export const controlContainerInputSchema = (verbs: readonly string[], names: readonly string[]) =>
  z.strictObject({ action: z.enum(verbs), name: z.enum(names) });
export const controlContainerOutputSchema = z.object({ name: z.string(), state: z.string(), message: z.string() });
