import type { Reason, Reasons } from './module.ts';

/** A place for the reasons of one read. */
export function collectReasons(): { reasons: Reasons; collected: Reason[] } {
  const collected: Reason[] = [];
  const add = (mendable: boolean) => (field: string | null, reason: string) => {
    collected.push({ field, reason, mendable });
  };
  return { reasons: { missing: add(true), inherent: add(false) }, collected };
}
