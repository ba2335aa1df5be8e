import { type Audit, createAudit } from '../../access/audit/audit.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { actionInWords } from '../../core/action-words.ts';
import type { Given } from '../../core/agent.ts';
import type { Service } from '../../core/service.ts';
import type { AgentKit } from '../../core/tool.ts';
import { defineTransport } from '../../core/transport.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { createMcp } from './mcp.ts';
import { oauthRoutes } from './oauth/oauth.routes.ts';

/** The MCP endpoint. Everything behind mcp.ts is loaded on the first request of an agent. */
export const mcpTransport = (kit: AgentKit) =>
  defineTransport({
    name: 'mcp',
    start({ service, host, log, settings, askUser, routeTable, oauth }) {
      const parts = {
        service,
        settings: settings.current,
        kit,
        askUser,
        audit: rememberingAgents(createAudit(host, log.warn), service, settings.current),
        failedUnits: host.failedUnits ?? untold,
        log,
        clock: host.clock,
      };
      const mcp = createMcp({
        service,
        settings: settings.current,
        log,
        clock: host.clock,
        load: async (lasting) => (await import('./create-agents.ts')).createAgents(parts, lasting),
      });
      const { answer } = mcp;
      for (const table of [routeTable.routes, routeTable.local])
        table.set('/api/mcp', { GET: answer, POST: answer, DELETE: answer });
      for (const [path, methods] of oauthRoutes({ oauth, settings: settings.current, log }))
        routeTable.routes.set(path, methods);
      const unfollow = settings.onChange(mcp.settingsChanged);
      return {
        async stop() {
          unfollow();
          await mcp.close();
        },
      };
    },
  });

const untold = async () => ({
  units: null,
  reasons: ['Hostler does not know how to ask this system which of its services failed'],
});

/**
 * Actions of agents, and not their reads, are part of the machine's history, one line each, with the token and the outcome. The client's
 * name is quoted and refusal messages are left out: both contain text of the agent.
 */
export function rememberingAgents(
  audit: Audit,
  { actions, history }: Pick<Service, 'actions' | 'history'>,
  settings: () => Settings,
): Audit {
  return (entry, kind) => {
    audit(entry, kind);
    const { token, client, tool, decision } = entry;
    const given = typeof entry.arguments === 'object' ? { ...entry.arguments } : {};
    const action = actionOf(actions, tool, given);
    if (action?.agent === undefined || unfinished.has(decision)) return;
    const what = actionInWords(action, action.title && action.agent.toInput(given), settings());
    const outcome = decision === 'done' ? '' : `: ${decision.replace(/:.*$/s, '').replaceAll('_', ' ')}`;
    history.note(
      'agent',
      `${what}, by the agent ${JSON.stringify(client)} with the token ${JSON.stringify(token)}${outcome}`,
    );
  };
}

/** Decisions that another entry about the same call follows. */
const unfinished: ReadonlySet<string> = new Set(['started', 'pending', 'allowed']);

/** A tool can combine several actions; without a choice that is known it is the first of them. */
function actionOf(actions: readonly ActionDefinition[], tool: string, given: Given): ActionDefinition | undefined {
  const own = actions.filter(({ agent }) => agent?.tool.name === tool);
  return own.find(({ agent }) => agent?.choice === given.action) ?? own[0];
}
