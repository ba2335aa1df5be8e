/** Counts checks and prints each. */
export interface Report {
  /** `work` throws where something is wrong; its text is printed. */
  check(name: string, work: () => Promise<string>): Promise<void>;
  failed(): number;
  print(): void;
}

export function createReport(): Report {
  const counts = { passed: 0, failed: 0 };
  return {
    async check(name, work) {
      try {
        const seen = await work();
        counts.passed += 1;
        console.log(`passed  ${name}${seen === '' ? '' : `: ${seen}`}`);
      } catch (error) {
        counts.failed += 1;
        console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    failed: () => counts.failed,
    print: () => console.log(`${counts.passed} passed, ${counts.failed} failed`),
  };
}

export function expectTrue(isTrue: boolean, sentence: string): void {
  if (!isTrue) throw new Error(sentence);
}

/** Waits until it is true; the seconds that took, as text. */
export async function secondsUntil(what: string, isTrue: () => Promise<boolean>, limit = 60): Promise<string> {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  while (!(await isTrue())) {
    if (seconds() > limit) throw new Error(`${what}: not within ${limit} s`);
    await Bun.sleep(100);
  }
  return `${seconds().toFixed(1)} s`;
}
