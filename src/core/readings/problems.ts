/**
 * A problem that a module can detect and a rule for alerts can name: `disk_full`. A module declares its own in `<name>.readings.ts`; the
 * rule is active while the module reports one.
 */
export interface ModuleProblem<T> {
  description: string;
  /** The default threshold in percent; omitted: it has no level. */
  percent?: number;
  /** Why detection is not possible now; null: it is. Omitted: it always is. */
  lacks?(payload: T): string | null;
  find(payload: T, percent: number): FoundProblem[];
}

export interface FoundProblem {
  /** The subject, compared with `match` of a rule: a mount point, a unit. */
  subject: string;
  /** A sentence without its full stop. */
  text: string;
  /** Percent, where it has a level. */
  value?: number;
}

export interface ModuleProblems<T> {
  problems: Record<string, ModuleProblem<T>>;
  /** The source announces changes of this, so that they are followed. Omitted: it is checked once a minute. */
  announced?: boolean;
}
