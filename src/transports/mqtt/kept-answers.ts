/** The answers that were given last: a client that did not get its answer may ask again, and the action does not run again. */
export interface KeptAnswers {
  get(key: string, make: () => Promise<string>): Promise<string>;
}

const most = 200;
/** Of all kept answers together. */
const mostCharacters = 2 * 1024 * 1024;

export function createKeptAnswers(): KeptAnswers {
  /** The oldest first; the length is 0 until the answer is known. */
  const kept = new Map<string, { answer: Promise<string>; length: number }>();
  let characters = 0;

  const drop = () => {
    for (const [key, { length }] of kept) {
      if (kept.size <= most && characters <= mostCharacters) return;
      kept.delete(key);
      characters -= length;
    }
  };

  return {
    async get(key, make) {
      const known = kept.get(key);
      if (known !== undefined) return await known.answer;
      const entry = { answer: make(), length: 0 };
      kept.set(key, entry);
      drop();
      const text = await entry.answer;
      if (kept.get(key) === entry) {
        entry.length = text.length;
        characters += text.length;
        drop();
      }
      return text;
    },
  };
}
