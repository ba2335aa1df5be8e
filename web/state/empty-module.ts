/** One entry of GET /api/modules. */
export interface ModuleState {
  name: string;
  description: string;
  interval_ms: number;
  availability: 'available' | 'degraded' | 'unavailable';
  reasons: { field: string | null; reason: string; mendable: boolean }[];
}

/** A source that has just been created has no data yet; the machine may have it. */
export const isYetUnknown = ({ reason }: { reason: string }) => reason.includes('has not answered yet');

/**
 * Whether the machine has nothing that this module could show: it has a reason as a whole, or for each of the fields that make up
 * its view.
 */
export function isEmptyModule(state: ModuleState | undefined, fields: readonly string[] = []): boolean {
  if (state === undefined || state.reasons.some(isYetUnknown)) return false;
  const of = (field: string | null) => state.reasons.filter((each) => each.field === field);
  // What the user can fix belongs to the machine.
  const lacks = (field: string) => of(field).length > 0 && !of(field).some(({ mendable }) => mendable);
  return state.availability === 'unavailable' || of(null).length > 0 || (fields.length > 0 && fields.every(lacks));
}
