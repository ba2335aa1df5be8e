/** A value of the system's own tools that a module reports as well. */
export interface WitnessFact {
  module: string;
  field: string;
  theirs: string | number;
  /** The same in a payload of ours; undefined: it is not there. */
  pick(payload: unknown): unknown;
  /** How far numbers may differ, because they change meanwhile or are counted differently. */
  within?: number;
}

export interface ComparedFact {
  module: string;
  field: string;
  ours: unknown;
  theirs: unknown;
  passed: boolean;
}
