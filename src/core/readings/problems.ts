/**
 * Something that can be wrong with what a module shows, and that a rule for alerts can name: `disk_full`. A module says its own in
 * `<name>.readings.ts`; the rule is active while the module finds any.
 */
export interface ModuleProblem<T> {
  description: string;
  /** Percent from which on it is one, unless the rule says; left out: it has no level. */
  percent?: number;
  /** Why nothing can be found out now; null: it can. Left out: it always can. */
  lacks?(payload: T): string | null;
  find(payload: T, percent: number): FoundProblem[];
}

export interface FoundProblem {
  /** What it is about, and what a rule's `match` is compared with: a mount point, a unit. */
  subject: string;
  /** A sentence without its full stop. */
  text: string;
  /** Percent, where it has a level. */
  value?: number;
}

export interface ModuleProblems<T> {
  problems: Record<string, ModuleProblem<T>>;
  /** The source announces changes of this, so that it is listened to. Left out: it is looked at once a minute. */
  announced?: boolean;
}
