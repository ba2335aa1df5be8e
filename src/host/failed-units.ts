export interface FailedUnits {
  /** Names, such as `nginx.service`; those of a user's own manager with `(user)`. null: no manager could be queried. */
  units: string[] | null;
  /** Why the list lacks something, a sentence for each manager that could not be queried. */
  reasons: string[];
}

/** Never rejects: a machine without such a manager has a reason. */
export type ReadFailedUnits = () => Promise<FailedUnits>;
