/** Placeholders: the same original always gets the same placeholder, so that a recording stays consistent. */
export type StandIns = ReturnType<typeof createStandIns>;

export interface StandInUse {
  kind: string;
  original: string;
  standIn: string;
  times: number;
}

export function createStandIns() {
  const kinds = new Map<string, Map<string, StandInUse>>();
  return {
    of(kind: string, original: string, make: (number: number) => string): string {
      const known = kinds.get(kind) ?? new Map<string, StandInUse>();
      kinds.set(kind, known);
      const entry = known.get(original) ?? { kind, original, standIn: make(known.size + 1), times: 0 };
      known.set(original, entry);
      entry.times += 1;
      return entry.standIn;
    },
    list: () => [...kinds.values()].flatMap((known) => [...known.values()]),
  };
}
