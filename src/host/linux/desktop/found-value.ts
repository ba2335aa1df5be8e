/** A value, or the reason why it is unknown. */
export type Fact<T> = { value: T } | NoFact;

export interface NoFact {
  why: string;
  /** Whether something can be done about it; the sentence says what. */
  mendable: boolean;
}

export const inherently = (why: string): NoFact => ({ why, mendable: false });
export const mendably = (why: string): NoFact => ({ why, mendable: true });
