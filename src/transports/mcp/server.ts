import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Caller } from '../../core/caller.ts';
import { hasScope, requireScope } from '../../core/require-scope.ts';
import type { AgentKit, ToolContext } from '../../core/tool.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { safeLine } from './calls.sanitise.ts';
import type { ToolCall } from './calls.ts';
import { type CallParts, createCalls } from './calls.ts';
import { validMs } from './consent.client-question.ts';
import type { Consent } from './consent.ts';
import type { Catalogue, OfferedTool } from './server.catalogue.ts';
import { jsonType, moduleTemplate, type Resources, toProtocolError } from './server.resources.ts';

/** The server of one client: for one request in the newer protocol, for a session in the older one. */
export type MakeServer = (caller: Caller, followed: Followed | null) => Server;

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
  const { catalogue, resources, kit, consent, limits, machine, log } = parts;
  const call = createCalls(parts);

  const offered = async (caller: Caller): Promise<OfferedTool[]> => {
    const tools = [...(await catalogue.tools()).values()].filter((tool) => hasScope(caller, ...tool.scopes));
    const available = await Promise.all(tools.map((tool) => tool.available()));
    return tools.filter((_tool, index) => available[index]);
  };

  return (caller, followed) => {
    const server = new Server(
      { name: 'hostler', title: 'Hostler', version: parts.version },
      {
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true },
          prompts: {},
          completions: {},
        },
        instructions: kit.instructions(catalogue.namesFor(caller)),
        jsonSchemaValidator: validator,
        requestState: { verify: consent.verify },
        inputRequired: { maxRounds: 2, roundTimeoutMs: validMs },
        cacheHints: { 'server/discover': { ttlMs: listTtlMs }, 'prompts/list': { ttlMs: listTtlMs } },
      },
    );
    server.onerror = (error) => log.debug(`mcp: ${safeLine(error.message)}`);

    server.setRequestHandler('tools/list', async () => ({
      tools: (await offered(caller)).map(({ definition }) => definition),
    }));
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = (await catalogue.tools()).get(params.name);
      if (tool === undefined) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no tool ${JSON.stringify(safeLine(params.name, 64))}; tools/list lists them`,
        );
      }
      return await call({
        tool,
        words: params.arguments,
        caller,
        client: clientOf(server),
        canElicit: canElicit(server),
        context,
      } satisfies ToolCall);
    });

    server.setRequestHandler('resources/list', () => ({ resources: resources.list() }));
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [
        { uriTemplate: moduleTemplate, name: 'module', description: 'Current data of one module', mimeType: jsonType },
      ],
    }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
      const { text, ttlMs } = await sentenced(() => {
        refuseTooMany(limits.refuse(caller.tokenId));
        return resources.read(uri, caller, toToolContext(machine(caller), context));
      });
      const contents = [{ uri, mimeType: jsonType, text }];
      return isModern(server) ? { contents, ttlMs } : { contents };
    });
    server.setRequestHandler('completion/complete', ({ params: { ref, argument } }) => {
      const known = ref.type === 'ref/resource' && ref.uri === moduleTemplate && argument.name === 'module';
      const values = known ? resources.complete(argument.value) : [];
      return { completion: { values, total: values.length, hasMore: false } };
    });
    if (followed !== null) {
      server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
        await sentenced(async () => requireResource(resources, uri, caller));
        followed.follow(uri);
        return {};
      });
      server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
        followed.unfollow(uri);
        return {};
      });
    }

    server.setRequestHandler('prompts/list', () => ({
      prompts: kit.prompts.map(({ name, title, description }) => ({ name, title, description })),
    }));
    server.setRequestHandler('prompts/get', ({ params: { name } }) => {
      const prompt = kit.prompts.find((candidate) => candidate.name === name);
      if (prompt === undefined)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `There is no prompt ${JSON.stringify(safeLine(name, 64))}`,
        );
      return {
        description: prompt.description,
        messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.text } }],
      };
    });
    return server;
  };
}

/** Lists change with settings or tokens; subscribed clients are notified. */
const listTtlMs = 60_000;

/** Shared: the library would create one for every request. */
const validator = new AjvJsonSchemaValidator();

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
    throw thrown instanceof ProtocolError ? thrown : toProtocolError(toServiceError(thrown));
  }
}

const toToolContext = (machine: ReturnType<AgentServerParts['machine']>, { mcpReq }: ServerContext): ToolContext => ({
  ...machine,
  signal: mcpReq.signal,
  progress: () => {},
});

function clientOf(server: Server): string {
  const { name = 'unknown', version = '' } = server.getClientVersion() ?? {};
  return safeLine(`${name} ${version}`.trim(), 100);
}

const isModern = (server: Server) => (server.getNegotiatedProtocolVersion() ?? '') >= '2026-07-28';

/** A client that declares elicitation without a mode supports forms. */
function canElicit(server: Server): boolean {
  const elicitation = server.getClientCapabilities()?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0);
}
