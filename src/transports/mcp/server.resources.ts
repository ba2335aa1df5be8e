import { codes, McpError } from '@hostler/mcp/messages.ts';
import type { Caller } from '../../core/caller.ts';
import { requireScope, type Service } from '../../core/service.ts';
import type { ToolContext, ToolDefinition } from '../../core/tool.ts';
import type { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { safeLine, sanitise } from './calls.sanitise.ts';

interface ListedResource {
  uri: string;
  name: string;
  title?: string;
  description: string;
  mimeType: string;
}

export const moduleTemplate = 'system://modules/{module}';
export const jsonType = 'application/json';
const modulePrefix = 'system://modules/';

export interface ResourceParts {
  service: Pick<Service, 'modules'>;
  tools: readonly ToolDefinition[];
  settings(): Settings;
}

export type Resources = ReturnType<typeof createResources>;

export function createResources({ service, tools, settings }: ResourceParts) {
  const reader = tools.find((tool) => tool.ofModule !== undefined);
  const modules = new Map(
    (reader === undefined ? [] : service.modules).map((module) => [`${modulePrefix}${module.name}`, module]),
  );
  const shaped = new Map(tools.flatMap((tool) => (tool.resource === undefined ? [] : [[tool.resource.uri, tool]])));

  /** The tool's result without arguments: sorted, cut and with its reasons. */
  const readModule = async (name: string, everyMs: number, context: ToolContext) => ({
    text: JSON.stringify(sanitise(await reader?.run(reader.ofModule?.(name), context))),
    ttlMs: settings().modules[name]?.interval ?? everyMs,
  });

  return {
    list: (): ListedResource[] => [
      ...[...shaped.values()].flatMap(({ name, title, resource }) =>
        resource === undefined
          ? []
          : [{ uri: resource.uri, name, title, description: resource.description, mimeType: jsonType }],
      ),
      ...[...modules].map(([uri, { name, description }]) => ({ uri, name, description, mimeType: jsonType })),
    ],
    /** The modules whose changes change a resource; null: no such resource. */
    modulesOf(uri: string): readonly string[] | null {
      const module = modules.get(uri);
      return module === undefined ? (shaped.get(uri)?.resource?.modules ?? null) : [module.name];
    },
    /** JSON, and how many milliseconds it stays valid. */
    async read(uri: string, caller: Caller, context: ToolContext) {
      const module = modules.get(uri);
      const tool = shaped.get(uri);
      if (module === undefined && tool === undefined)
        throw new McpError(codes.invalidParams, `Resource not found: ${safeLine(uri)}`, { uri: safeLine(uri) });
      requireScope(caller, ...(tool?.scopes ?? ['read']));
      if (module !== undefined) return await readModule(module.name, module.everyMs, context);
      const answer = await tool?.run({}, context);
      return { text: JSON.stringify(sanitise(answer)), ttlMs: tool?.resource?.everyMs ?? 0 };
    },
    complete: (begun: string) => [...modules.values()].map(({ name }) => name).filter((name) => name.startsWith(begun)),
  };
}

/** Outside of tools an error is a protocol error, with our message. */
export function toProtocolError(error: ServiceError): McpError {
  const isWrong = error.code === 'invalid' || error.code === 'not_found';
  return new McpError(isWrong ? codes.invalidParams : codes.server, safeLine(error.message));
}
