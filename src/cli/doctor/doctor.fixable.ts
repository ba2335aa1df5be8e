import type { Feature } from '../../core/feature.ts';
import type { ModuleState } from '../../core/store.ts';
import type { CheckedAction } from './doctor.actions.ts';

type FeatureParts = { module: { name: string } | null; actions: readonly Pick<Feature['actions'][number], 'name'>[] };

/** Modules with what the user can change, and the actions that do not work, except those whose module misses nothing: a Bluetooth adapter, say. */
export function fixable(
  features: readonly FeatureParts[],
  states: readonly ModuleState[],
  actions: readonly CheckedAction[],
): { modules: ModuleState[]; actions: CheckedAction[] } {
  const modules = states.flatMap((state) => {
    const reasons = state.reasons.filter(({ mendable }) => mendable);
    return reasons.length > 0 ? [{ ...state, reasons }] : [];
  });
  const listed = new Set(modules.map(({ name }) => name));
  const settled = new Set(
    features.flatMap(({ module, actions: own }) =>
      module === null || listed.has(module.name) ? [] : own.map(({ name }) => name),
    ),
  );
  return { modules, actions: actions.filter(({ name, available }) => !available && !settled.has(name)) };
}
