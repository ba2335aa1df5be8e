import type { ModuleDefinition } from '../core/module.ts';
import type { KnownProblem, KnownProblems } from './conditions.ts';

/** All problems that the definitions of modules declare. */
export async function knownProblems(modules: readonly ModuleDefinition[]): Promise<KnownProblems> {
  const known = new Map<string, KnownProblem>();
  for (const { name, problems } of modules) {
    const given = await problems?.();
    for (const [kind, problem] of Object.entries(given?.problems ?? {}))
      known.set(kind, { module: name, announced: given?.announced ?? false, problem });
  }
  return known;
}
