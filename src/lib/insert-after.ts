export interface Inserted {
  name: string;
  /** The name it follows; undefined: it comes last. */
  after: string | undefined;
}

/** The names with each added one directly behind the name it follows, which may be an added one too. */
export function insertAfter(names: readonly string[], added: readonly Inserted[]): string[] {
  const all = [...names];
  let waiting = added;
  while (waiting.length > 0) {
    const [next] = waiting.filter(({ after }) => after === undefined || all.includes(after));
    if (next === undefined) throw new Error(`${waiting[0]?.name} follows ${waiting[0]?.after}, which does not exist`);
    if (all.includes(next.name)) throw new Error(`${next.name} is declared twice`);
    all.splice(next.after === undefined ? all.length : all.indexOf(next.after) + 1, 0, next.name);
    waiting = waiting.filter((each) => each !== next);
  }
  return all;
}
