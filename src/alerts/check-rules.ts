import type { ModuleDefinition } from '../core/module.ts';
import type { KnownHistory } from '../core/readings/history.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { conditionOf, knownProblems } from './conditions.ts';

/** Throws when a new or changed rule names something that does not exist. The schema cannot check it: modules define the names. */
export async function createRulesCheck(
  modules: readonly ModuleDefinition[],
  knownIn: (settings: Settings) => KnownHistory,
): Promise<(before: Settings, after: Settings) => void> {
  const problems = await knownProblems(modules);
  return (before, after) => {
    const known = knownIn(after);
    const earlier = new Set(before.alerts.rules.map(({ when }) => JSON.stringify(when)));
    for (const [index, rule] of after.alerts.rules.entries()) {
      if (earlier.has(JSON.stringify(rule.when))) continue;
      const condition = conditionOf(rule, known, problems);
      if (condition.kind === 'wrong')
        throw new ServiceError('invalid', `alerts.rules.${index} (${rule.id}): ${condition.reason}`);
    }
  };
}
