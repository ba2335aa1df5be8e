/** Stops all of these. */
export const stopAll = (stops: Iterable<() => void>) => () => {
  for (const stop of stops) stop();
};

/** Stops what has begun, or as soon as it has. */
export function stopOnceBegun(beginning: Promise<() => void>): () => void {
  let stop = () => {};
  let stopped = false;
  beginning.then(
    (begun) => {
      if (stopped) begun();
      else stop = begun;
    },
    () => {},
  );
  return () => {
    stopped = true;
    stop();
  };
}
