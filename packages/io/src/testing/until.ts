/** Waits for something to become true; the deadline is for a machine that hangs, not for a slow one. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  deadlineMs = 30_000,
): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Waited ${deadlineMs / 1000} s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
