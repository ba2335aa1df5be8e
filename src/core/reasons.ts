/** A place for the reasons of one read. */
export function collectReasons(): { reasons: Reasons; collected: Reason[] } {
  const collected: Reason[] = [];
  const add = (mendable: boolean) => (field: string | null, reason: string) => {
    collected.push({ field, reason, mendable });
  };
  return { reasons: { missing: add(true), inherent: add(false) }, collected };
}

/** Where a source says why a field is null. Fields are dot paths, `[]` stands for every entry of a list; null: the whole module. */
export interface Reasons {
  /** Something that could be there is not, or may not be read. The sentence says how to get it. Makes the module "degraded". */
  missing(field: string | null, sentence: string): void;
  /** null is the right answer on this machine, such as a battery of a desktop. */
  inherent(field: string | null, sentence: string): void;
}

export interface Reason {
  /** The field that is null; null: the whole module. */
  field: string | null;
  reason: string;
  /** Whether something can be done about it. */
  mendable: boolean;
}
