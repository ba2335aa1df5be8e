import { createAudit } from '../../access/audit/audit.ts';
import type { AgentKit } from '../../core/tool.ts';
import { defineTransport } from '../../core/transport.ts';
import { rememberingAgents } from './mcp.history.ts';
import { createMcp } from './mcp.ts';

/** The door for agents. Files are numbered in the order a message passes them; from 2 on they are loaded when the first agent comes. */
export const mcpTransport = (kit: AgentKit) =>
  defineTransport({
    name: 'mcp',
    start({ service, host, log, settings, askUser, entrance }) {
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
      entrance.routes.set('/api/mcp', { GET: answer, POST: answer, DELETE: answer });
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
