import type { View, ViewGroup } from '../views/index.ts';
import { session } from './session.ts';

/** Whether this session may see anything of a view. */
export const maySee = ({ scopes }: View): boolean => {
  const held = session.value?.scopes ?? [];
  return scopes.some((scope) => held.includes(scope));
};

/** Groups with their visible views. */
export const visible = (groups: readonly ViewGroup[]): ViewGroup[] =>
  groups.map(({ title, views }) => ({ title, views: views.filter(maySee) })).filter(({ views }) => views.length > 0);
