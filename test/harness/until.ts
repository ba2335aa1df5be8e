export { until } from '@hostler/io/testing/until.ts';

/** Time passes until it has settled: polling takes time, and so does loading the code. */
export async function asTimePasses<T>(running: Promise<T>, clock: { advanceToNext(): unknown }): Promise<T> {
  let isSettled = false;
  const settled = running.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advanceToNext();
  }
  return await settled;
}
