import { createListeners } from './listeners.ts';
export interface LogTail {
  write(text: string): void;
  lines(): string[];
  /** Calls back with every further line; returns the function that unsubscribes. */
  follow(listener: (line: string) => void): () => void;
}

const mostLines = 1000;
/** Some lines have the stack of an error; each is stored shortened. */
const longestLine = 2000;

export function createLogTail(): LogTail {
  const lines: string[] = [];
  const followers = createListeners<[line: string]>();
  return {
    write(text) {
      const line = text.trimEnd().slice(0, longestLine);
      lines.push(line);
      if (lines.length > mostLines) lines.shift();
      followers.announce(line);
    },
    lines: () => [...lines],
    follow: followers.add,
  };
}
