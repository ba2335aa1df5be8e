interface Event {
  /** Unix milliseconds. */
  at: number;
  kind: string;
  text: string;
}

/** Both are recorded when an action ends. */
const togetherMs = 5000;

/**
 * An action that an agent or an MQTT client requested is recorded as theirs, and as an order if it interrupts the user: rules for alerts
 * can name either. A list shows it once.
 */
export function oneLineEach<E extends Event>(events: readonly E[]): E[] {
  const actions = events.filter(({ kind }) => kind === 'agent' || kind === 'mqtt');
  return events.filter(
    ({ at, kind, text }) =>
      kind !== 'order' ||
      !actions.some((each) => Math.abs(each.at - at) < togetherMs && each.text.startsWith(`${whatOf(text)}, by `)),
  );
}

const whatOf = (text: string) => text.replace(/, by .*$/s, '');
