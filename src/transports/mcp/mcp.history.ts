import type { Audit } from '../../access/audit/audit.ts';
import type { Service } from '../../core/service.ts';

/**
 * What agents did, and not what they read, is part of the machine's history. Whoever may read that learns by which token and how it ended. What a
 * client calls itself is quoted, and the sentences of refusals are left out: both hold words of the agent.
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
