/** The batteries that feed the machine, taken together. */
export interface Charge {
  /** `idle`: full, or held where it is; null: unknown. */
  state: 'charging' | 'discharging' | 'idle' | null;
  percentage: number | null;
  /** Until empty or full; null: unknown, or neither will happen. */
  seconds: number | null;
}
