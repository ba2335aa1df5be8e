/** The last lines of a log, for whoever asks later. */
export interface LogTail {
  write(text: string): void;
  lines(): string[];
  /** Calls back with every further line; returns the way to stop. */
  follow(heard: (line: string) => void): () => void;
}

const mostLines = 1000;
/** Some lines carry the stack of an error; a thousand of those are kept shortened. */
const longestLine = 2000;

export function createLogTail(): LogTail {
  const lines: string[] = [];
  const followers = new Set<(line: string) => void>();
  return {
    write(text) {
      const line = text.trimEnd().slice(0, longestLine);
      lines.push(line);
      if (lines.length > mostLines) lines.shift();
      for (const heard of followers) heard(line);
    },
    lines: () => [...lines],
    follow(heard) {
      followers.add(heard);
      return () => void followers.delete(heard);
    },
  };
}
