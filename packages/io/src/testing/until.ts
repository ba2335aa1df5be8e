/** Waits for something to become true; the deadline is for a machine that hangs, not for a slow one. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 30_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  // Most conditions hold within a millisecond or two; the others are checked less often.
  for (let pauseMs = 1; !(await condition()); pauseMs = Math.min(pauseMs * 2, 20)) {
    if (performance.now() > end) throw new Error(`Timed out after ${deadlineMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
