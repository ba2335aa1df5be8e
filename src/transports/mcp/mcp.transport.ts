import { type Audit, createAudit } from '../../access/audit/audit.ts';
import type { Service } from '../../core/service.ts';
import type { AgentKit } from '../../core/tool.ts';
import { defineTransport } from '../../core/transport.ts';
import { createMcp } from './mcp.ts';

/** The MCP endpoint. Everything behind mcp.ts is loaded on the first request of an agent. */
export const mcpTransport = (kit: AgentKit) =>
  defineTransport({
    name: 'mcp',
    start({ service, host, log, settings, askUser, routeTable }) {
      const { now, monotonic, after } = host.clock;
      const parts = {
        service,
        settings: settings.current,
        kit,
        askUser,
        audit: rememberingAgents(createAudit(host, log.warn), service),
        failedUnits: host.failedUnits ?? untold,
        log,
        now,
        monotonic,
        after,
      };
      const mcp = createMcp({
        service,
        settings: settings.current,
        log,
        monotonic,
        after,
        load: async (lasting) => (await import('./create-agents.ts')).createAgents(parts, lasting),
      });
      const { answer } = mcp;
      routeTable.routes.set('/api/mcp', { GET: answer, POST: answer, DELETE: answer });
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
 * Actions of agents, and not their reads, are part of the machine's history, with the token and the outcome. The client's name is quoted
 * and refusal messages are left out: both contain text of the agent.
 */
export function rememberingAgents(audit: Audit, { actions, history }: Pick<Service, 'actions' | 'history'>): Audit {
  const acting = new Set(actions.flatMap(({ agent }) => agent?.tool.name ?? []));
  return (entry, kind) => {
    audit(entry, kind);
    if (!acting.has(entry.tool)) return;
    const { token, client, tool, decision } = entry;
    const outcome = decision.replace(/:.*$/s, '');
    history.note('agent', `${tool} by the token ${JSON.stringify(token)}, as ${JSON.stringify(client)}: ${outcome}`);
  };
}
