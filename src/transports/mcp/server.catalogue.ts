import type { Scope } from '../../access/scopes.ts';
import type { ActionDefinition, ActionResult } from '../../core/action.ts';
import type { AgentTool, Given } from '../../core/agent.ts';
import type { Caller } from '../../core/caller.ts';
import { hasScope } from '../../core/require-scope.ts';
import type { Service } from '../../core/service.ts';
import type { ToolContext, ToolDefinition } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { quoted } from '../../lib/quoted.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { plainArguments, plainSchemas } from './plain-tools.ts';
import type { ToolSchemas } from './plain-tools.types.ts';

/** A tool as agents see it. */
export interface ToolListing extends ToolSchemas {
  name: string;
  title: string;
  description: string;
  annotations: Record<string, boolean>;
}

/** A tool of this transport, whatever implements it. */
export interface OfferedTool {
  /** The description for agents. */
  definition: ToolListing;
  readOnly: boolean;
  /** The permission prompt; null: none needed. */
  prompt: ((given: Given) => string | null) | null;
  /** Why it is refused for now, regardless of consent; null: it is not. */
  blocked(given: Given): string | null;
  everyMs: number | null;
  deadlineMs: number;
  longTexts: ReadonlySet<string>;
  unlogged: ReadonlySet<string>;
  /** The arguments of a call. Throws with a remedy where they are wrong. */
  check(words: unknown): Promise<Given>;
  /** One of these scopes is enough. */
  scopes: readonly Scope[];
  /** Whether it is available now. */
  available(): Promise<boolean>;
  run(given: unknown, caller: Caller, context: ToolContext): Promise<ToolResult>;
}

export interface ToolResult {
  said: unknown;
  /** An image that accompanies the result. */
  picture: { type: string; base64: string } | null;
}

export interface CatalogueParts {
  service: Pick<Service, 'modules' | 'actions' | 'perform' | 'unavailable' | 'paused'>;
  tools: readonly ToolDefinition[];
  settings(): Settings;
}

export type Catalogue = ReturnType<typeof createCatalogue>;

/** Built once per settings: generating schemas takes a hundred times as long as using them. */
export function createCatalogue({ service, tools, settings }: CatalogueParts) {
  let built: { settings: Settings; tools: Promise<ReadonlyMap<string, OfferedTool>> } | null = null;
  const modules = service.modules.map(({ name }) => name);

  const groups = [...groupByTool(service.actions)];

  const actingFor = (current: Settings) =>
    enabledFor(current).filter(([tool]) => (tool.missing?.(current) ?? null) === null);

  const enabledFor = (current: Settings) =>
    groups.filter(
      ([tool, actions]) =>
        isEnabled(tool, current) &&
        (current.mcp.mode !== 'read_only' || actions.every(({ effect }) => effect === 'read')),
    );

  const build = async (current: Settings) => {
    const reading = tools.map((tool) => readingTool(tool, modules));
    const acting = actingFor(current).map(([tool, actions]) => actingTool(tool, actions, settings, service));
    const all = await Promise.all([...reading, ...acting]);
    return new Map(all.map((tool) => [tool.definition.name, tool]));
  };

  return {
    /** By name; only the tools that the settings offer. */
    tools(): Promise<ReadonlyMap<string, OfferedTool>> {
      const current = settings();
      if (built?.settings !== current) built = { settings: current, tools: build(current) };
      return built.tools;
    },
    /** A tool that the settings do not offer yet: a call is refused with what they lack. */
    hidden(name: string): OfferedTool | undefined {
      const current = settings();
      const [found] = enabledFor(current).filter(([tool]) => tool.name === name);
      const missing = found?.[0].missing?.(current) ?? null;
      return found === undefined || missing === null ? undefined : hiddenTool(...found, missing);
    },
    /** Names of the tools that this caller's token grants. */
    namesFor(caller: Caller): ReadonlySet<string> {
      const reading = tools.filter(({ scopes }) => hasScope(caller, ...scopes));
      const acting = actingFor(settings()).filter(([, actions]) =>
        hasScope(caller, ...actions.flatMap(({ scopes }) => scopes)),
      );
      return new Set([...reading.map(({ name }) => name), ...acting.map(([{ name }]) => name)]);
    },
  };
}

const defaultDeadlineMs = 60_000;

const unprompted = {
  prompt: null,
  blocked: () => null,
  everyMs: null,
  deadlineMs: defaultDeadlineMs,
  longTexts: new Set<string>(),
};

async function readingTool(tool: ToolDefinition, modules: readonly string[]): Promise<OfferedTool> {
  const schemas =
    plainSchemas(tool.name, modules) ?? (await (await zodSchemas()).schemasOf(() => tool.input(modules), tool.output));
  return {
    definition: listingOf(tool, schemas, { destructive: false, idempotent: true, readOnly: true }),
    readOnly: true,
    ...unprompted,
    unlogged: new Set(),
    check: async (words) =>
      plainArguments(tool.name, modules, words) ??
      (await zodSchemas()).checked(tool.name, await tool.input(modules), words),
    scopes: tool.scopes,
    available: async () => true,
    run: async (given, _caller, context) => ({ said: await tool.run(given, context), picture: null }),
  };
}

async function actingTool(
  tool: AgentTool,
  actions: ActionDefinition[],
  settings: () => Settings,
  service: CatalogueParts['service'],
): Promise<OfferedTool> {
  const choices = actions.flatMap(({ agent }) => (agent?.choice === undefined ? [] : [agent.choice]));
  const facts = { choices, settings: settings() };
  const schemas =
    plainSchemas(tool.name, choices) ?? (await (await zodSchemas()).schemasOf(() => tool.input(facts), tool.output));
  const readOnly = actions.every(({ effect }) => effect === 'read');
  return {
    definition: listingOf(tool, schemas, { ...tool, readOnly }),
    readOnly,
    prompt: needsConsent(tool, actions, settings())
      ? (given) =>
          tool.isAsked?.(given) === false ? null : (tool.prompt?.(given, settings()) ?? usualPrompt(tool, given))
      : null,
    everyMs: tool.everyMs ?? null,
    deadlineMs: tool.deadlineMs ?? defaultDeadlineMs,
    longTexts: new Set(tool.longTexts),
    unlogged: new Set(tool.unlogged),
    check: async (words) => (await zodSchemas()).checked(tool.name, await tool.input(facts), words),
    scopes: [...new Set(actions.flatMap(({ scopes }) => scopes))],
    blocked: (given) => service.paused(chosen(tool, actions, given)),
    async available() {
      if (tool.onlyWhenAvailable !== true) return true;
      const missing = await Promise.all(actions.map((action) => service.unavailable(action)));
      return missing.some((reason) => reason === null);
    },
    run: (given, caller, { signal }) => act(tool, actions, service, given, caller, signal),
  };
}

function hiddenTool(tool: AgentTool, actions: ActionDefinition[], missing: string): OfferedTool {
  const refuse = async () => {
    throw new ServiceError('unsupported', missing);
  };
  const schemas: ToolSchemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } };
  return {
    definition: listingOf(tool, schemas, { ...tool, readOnly: false }),
    readOnly: false,
    ...unprompted,
    unlogged: new Set(tool.unlogged),
    check: refuse,
    scopes: [...new Set(actions.flatMap(({ scopes }) => scopes))],
    available: async () => false,
    run: refuse,
  };
}

async function act(
  tool: AgentTool,
  actions: ActionDefinition[],
  service: CatalogueParts['service'],
  given: unknown,
  caller: Caller,
  cancelled: AbortSignal,
): Promise<ToolResult> {
  const words: Given = typeof given === 'object' && given !== null ? { ...given } : {};
  const action = chosen(tool, actions, words);
  const { agent, picture } = action;
  if (agent === undefined) throw new ServiceError('unsupported', `${tool.name} is not available`);
  const asAgent = { ...caller, isAgent: true };
  const result: ActionResult = await service.perform(action, agent.toInput(words), asAgent, { cancelled });
  return {
    said: agent.toOutput(result, words),
    picture: picture === undefined ? null : { type: picture.typeOf(result.data), base64: picture.base64(result.data) },
  };
}

/** A disruptive tool that is off by default is asked about as well, unless the user listed it by name. */
function needsConsent(tool: AgentTool, actions: ActionDefinition[], settings: Settings): boolean {
  const isUnlisted = !tool.byDefault && !settings.mcp.tools.includes(tool.name);
  const isDisruptive = actions.some(({ effect }) => effect === 'disrupt');
  return tool.needsConsent?.(settings) ?? (tool.destructive || (isUnlisted && isDisruptive));
}

/** Everything that was given is shown, so that nothing is agreed to unseen. */
const usualPrompt = ({ title }: AgentTool, given: Given) =>
  [
    `${title}?`,
    ...Object.entries(given).map(
      ([name, value]) => `${name}: ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`,
    ),
  ].join('\n');

function chosen(tool: AgentTool, actions: ActionDefinition[], { action: choice }: Given): ActionDefinition {
  const action = actions.find(({ agent }) => agent?.choice === undefined || agent.choice === choice);
  if (action !== undefined) return action;
  throw new ServiceError('invalid', `${tool.name} has no action ${JSON.stringify(choice)}`);
}

function groupByTool(actions: readonly ActionDefinition[]): Map<AgentTool, ActionDefinition[]> {
  const groups = new Map<AgentTool, ActionDefinition[]>();
  for (const action of actions) {
    if (action.agent === undefined) continue;
    groups.set(action.agent.tool, [...(groups.get(action.agent.tool) ?? []), action]);
  }
  return groups;
}

function isEnabled(tool: AgentTool, { mcp: { mode, tools } }: Settings): boolean {
  return tool.byDefault || mode === 'full' || tools.includes(tool.name);
}

/** All four hints are set: clients assume the worst for a missing one. */
const listingOf = (
  { name, title, description }: Pick<AgentTool, 'name' | 'title' | 'description'>,
  schemas: ToolSchemas,
  { readOnly, destructive, idempotent }: { readOnly: boolean; destructive: boolean; idempotent: boolean },
): ToolListing => ({
  name,
  title,
  description,
  ...schemas,
  annotations: {
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: false,
  },
});

const zodSchemas = () => import('./server.catalogue.schemas.ts');
