/** What the system's own tools say of something that a module says as well. */
export interface WitnessFact {
  module: string;
  /** For people: what is compared. */
  field: string;
  theirs: string | number;
  /** The same in a payload of ours; undefined: it is not there. */
  pick(payload: unknown): unknown;
  /** How far numbers may differ, because they change meanwhile or are counted in another way. */
  within?: number;
}
