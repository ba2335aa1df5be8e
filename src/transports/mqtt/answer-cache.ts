/** Caches the last answers: a client that repeats a request gets the same answer, and the action does not run again. */
export interface AnswerCache {
  get(key: string, make: () => Promise<string>): Promise<string>;
}

const most = 200;
/** Limit for all cached answers together. */
const mostCharacters = 2 * 1024 * 1024;

export function createAnswerCache(): AnswerCache {
  /** Oldest first; the length is 0 until the answer is known. */
  const cached = new Map<string, { answer: Promise<string>; length: number }>();
  let characters = 0;

  const drop = () => {
    for (const [key, { length }] of cached) {
      if (cached.size <= most && characters <= mostCharacters) return;
      cached.delete(key);
      characters -= length;
    }
  };

  return {
    async get(key, make) {
      const known = cached.get(key);
      if (known !== undefined) return await known.answer;
      const entry = { answer: make(), length: 0 };
      cached.set(key, entry);
      drop();
      const text = await entry.answer;
      if (cached.get(key) === entry) {
        entry.length = text.length;
        characters += text.length;
        drop();
      }
      return text;
    },
  };
}
