const most = 200;
/** Limit for all cached replies together. */
const mostCharacters = 2 * 1024 * 1024;

/** Caches the last replies: a client that repeats a request gets the same reply, and the action does not run again. */
export function createReplyCache(): (key: string, make: () => Promise<string>) => Promise<string> {
  /** Oldest first; the length is 0 until the reply is known. */
  const cached = new Map<string, { reply: Promise<string>; length: number }>();
  let characters = 0;

  const drop = () => {
    for (const [key, { length }] of cached) {
      if (cached.size <= most && characters <= mostCharacters) return;
      cached.delete(key);
      characters -= length;
    }
  };

  return async (key, make) => {
    const known = cached.get(key);
    if (known !== undefined) return await known.reply;
    const entry = { reply: make(), length: 0 };
    cached.set(key, entry);
    drop();
    const text = await entry.reply;
    if (cached.get(key) === entry) {
      entry.length = text.length;
      characters += text.length;
      drop();
    }
    return text;
  };
}
