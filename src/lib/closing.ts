/** What the work makes of it; where that fails it is closed. */
export async function closedOnFailure<C extends { close(): void }, R>(
  opened: C,
  work: (opened: C) => R | Promise<R>,
): Promise<R> {
  try {
    return await work(opened);
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Functions that end something, as one. A function added after the end is called at once. */
export function createStops(...stops: (() => void)[]) {
  let isEnded = false;
  return {
    isEnded: () => isEnded,
    add(stop: () => void): void {
      if (isEnded) stop();
      else stops.push(stop);
    },
    end(): void {
      isEnded = true;
      for (const stop of stops.splice(0)) stop();
    },
  };
}

export const stopAll = (stops: Iterable<() => void>) => () => {
  for (const stop of stops) stop();
};

/** Stops what has begun, or as soon as it has. */
export function stopOnceBegun(beginning: Promise<() => void>): () => void {
  const { add, end } = createStops();
  beginning.then(add, () => {});
  return end;
}
