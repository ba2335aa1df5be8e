import { createListeners } from './listeners.ts';

export type LogTail = ReturnType<typeof createLogTail>;

const mostLines = 1000;
/** Some lines have the stack of an error; each is stored shortened. */
const longestLine = 2000;

export function createLogTail() {
  const lines: string[] = [];
  const followers = createListeners<[line: string]>();
  return {
    write(text: string): void {
      const line = text.trimEnd().slice(0, longestLine);
      lines.push(line);
      if (lines.length > mostLines) lines.shift();
      followers.announce(line);
    },
    lines: (): string[] => [...lines],
    /** Calls back with every further line; returns the function that unsubscribes. */
    follow: followers.add,
  };
}
