/** Services and other units that the system was to keep, and that failed. */
export interface FailedUnits {
  /** Names, such as `nginx.service`; those of a user's own manager with `(user)`. null: nobody could be asked. */
  units: string[] | null;
  /** Why the list lacks something, a sentence for each manager that could not be asked. */
  reasons: string[];
}

/** Never rejects: a machine without such a manager has a reason. */
export type ReadFailedUnits = () => Promise<FailedUnits>;
