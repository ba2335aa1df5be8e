import { codes, McpError, type Params } from '@hostler/mcp/messages.ts';
import type { McpClient, McpRequest, McpServer, Method } from '@hostler/mcp/server.ts';
import { isNewer } from '@hostler/mcp/versions.ts';
import type { Caller } from '../../core/caller.ts';
import { grantCommand, hasScope, requireScope } from '../../core/require-scope.ts';
import type { AgentKit } from '../../core/tool.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { safeLine } from './calls.sanitise.ts';
import { type CallParts, createCalls } from './calls.ts';
import type { Consent } from './consent.ts';
import type { Catalogue, OfferedTool } from './server.catalogue.ts';
import { jsonType, moduleTemplate, type Resources, toProtocolError } from './server.resources.ts';

/** The server of one client: for one request in the newer protocol, for a session in the older one. */
export type MakeServer = (caller: Caller, followed: Followed | null) => McpServer;

/** Subscriptions of the older protocol, one resource at a time. */
export interface Followed {
  follow(uri: string): void;
  unfollow(uri: string): void;
}

export interface AgentServerParts extends Omit<CallParts, 'consent'> {
  version: string;
  kit: AgentKit;
  catalogue: Catalogue;
  resources: Resources;
  consent: Consent;
  settings(): Settings;
}

export function createMakeServer(parts: AgentServerParts): MakeServer {
  const { catalogue, kit, consent, log, version } = parts;
  const call = createCalls(parts);
  const common = new Map<string, Method>([...promptMethods(kit), ...resourceMethods(parts.resources)]);
  return (caller, followed) => ({
    info: { name: 'hostler', title: 'Hostler', version },
    capabilities,
    instructions: () => kit.instructions(catalogue.namesFor(caller), grantCommand(caller, 'power')),
    methods: new Map([
      ...common,
      ...toolMethods(parts, call, caller),
      ['resources/read', (params, request) => readResource(parts, caller, params, request)],
      ...(followed === null ? [] : followMethods(parts.resources, caller, followed)),
    ]),
    ttlMs,
    openState: (state, method) => consent.open(state, method, caller),
    failed: (method, error) => log.error(`mcp: ${safeLine(method, 64)} failed unexpectedly`, error),
  });
}

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {} };

/** Lists change with settings or tokens; subscribed clients are notified. */
const ttlMs = { 'server/discover': 60_000, 'prompts/list': 60_000 };

type Methods = [name: string, method: Method][];

function toolMethods({ catalogue }: AgentServerParts, call: ReturnType<typeof createCalls>, caller: Caller): Methods {
  const offered = async (): Promise<OfferedTool[]> => {
    const tools = [...(await catalogue.tools()).values()].filter((tool) => hasScope(caller, ...tool.scopes));
    const available = await Promise.all(tools.map((tool) => tool.available()));
    return tools.filter((_tool, index) => available[index]);
  };
  return [
    ['tools/list', async () => ({ tools: (await offered()).map(({ definition }) => definition) })],
    [
      'tools/call',
      async (params, request) => {
        const name = String(params.name);
        const tool = (await catalogue.tools()).get(name) ?? catalogue.hidden(name);
        if (tool === undefined) throw unknownName('tool', params.name, '; tools/list lists them');
        const { client } = request;
        return await call({
          tool,
          words: params.arguments,
          caller,
          client: nameOf(client),
          canElicit: canElicit(client),
          request,
        });
      },
    ],
  ];
}

const promptMethods = ({ prompts }: AgentKit): Methods => [
  ['prompts/list', () => ({ prompts: prompts.map(({ name, title, description }) => ({ name, title, description })) })],
  [
    'prompts/get',
    (params) => {
      const prompt = prompts.find(({ name }) => name === params.name);
      if (prompt === undefined) throw unknownName('prompt', params.name);
      return {
        description: prompt.description,
        messages: [{ role: 'user', content: { type: 'text', text: prompt.text } }],
      };
    },
  ],
];

const resourceMethods = (resources: Resources): Methods => [
  ['resources/list', () => ({ resources: resources.list() })],
  [
    'resources/templates/list',
    () => ({
      resourceTemplates: [
        { uriTemplate: moduleTemplate, name: 'module', description: 'Current data of one module', mimeType: jsonType },
      ],
    }),
  ],
  [
    'completion/complete',
    ({ ref, argument }) => {
      const isModule = isObject(ref) && ref.type === 'ref/resource' && ref.uri === moduleTemplate;
      const known = isModule && isObject(argument) && argument.name === 'module';
      const values = known ? resources.complete(String(argument.value)) : [];
      return { completion: { values, total: values.length, hasMore: false } };
    },
  ],
];

async function readResource(
  { audit, limits, resources, machine }: AgentServerParts,
  caller: Caller,
  params: Params,
  { client, version, signal }: McpRequest,
): Promise<Params> {
  const uri = String(params.uri);
  const read = { client: nameOf(client), token: caller.tokenName, tool: 'resources/read' };
  const note = (decision: string) => audit({ ...read, arguments: { uri: safeLine(uri, 200) }, decision }, 'reading');
  const { text, ttlMs: validFor } = await sentenced(async () => {
    // Not recorded: these come at any rate.
    refuseTooMany(limits.refuse(caller.tokenId));
    try {
      return await resources.read(uri, caller, { ...machine(caller), signal, progress: () => {} });
    } catch (error) {
      const { code, message } =
        error instanceof McpError ? new ServiceError('not_found', error.message) : toServiceError(error);
      note(`${code}: ${safeLine(message)}`);
      throw error;
    }
  });
  note('done');
  const contents = [{ uri, mimeType: jsonType, text }];
  return isNewer(version) ? { contents, ttlMs: validFor } : { contents };
}

const followMethods = (resources: Resources, caller: Caller, followed: Followed): Methods => [
  [
    'resources/subscribe',
    async (params) => {
      const uri = String(params.uri);
      await sentenced(async () => requireResource(resources, uri, caller));
      followed.follow(uri);
      return {};
    },
  ],
  [
    'resources/unsubscribe',
    (params) => {
      followed.unfollow(String(params.uri));
      return {};
    },
  ],
];

const unknownName = (kind: string, name: unknown, more = '') =>
  new McpError(codes.invalidParams, `There is no ${kind} ${JSON.stringify(safeLine(String(name), 64))}${more}`);

function requireResource(resources: Resources, uri: string, caller: Caller): void {
  if (resources.modulesOf(uri) === null)
    throw new ServiceError('not_found', `There is no resource ${JSON.stringify(safeLine(uri, 200))}`);
  requireScope(caller, 'read');
}

function refuseTooMany(wait: number | null): void {
  if (wait !== null) throw new ServiceError('rate_limited', `Too many requests; try again in ${wait} s`);
}

async function sentenced<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw thrown instanceof McpError ? thrown : toProtocolError(toServiceError(thrown));
  }
}

function nameOf({ info }: McpClient): string {
  const { name = 'unknown', version = '' } = info ?? {};
  return safeLine(`${name} ${version}`.trim(), 100);
}

/** A client that declares elicitation without a mode supports forms. */
function canElicit({ capabilities: { elicitation } }: McpClient): boolean {
  return isObject(elicitation) && (elicitation.form !== undefined || Object.keys(elicitation).length === 0);
}
