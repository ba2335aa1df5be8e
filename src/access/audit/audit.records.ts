/** How many calls the record does not hold any more, or never did. */
export interface Dropped {
  calls: number;
  /** ISO times of the first and the last of them. */
  from: string;
  to: string;
  /** How many of each tool. */
  tools: Record<string, number>;
}

export type AuditRecord = { time: string } & (AuditEntry | { dropped: Dropped });

/** A line that was cut off, say by a full disk, tells nothing. */
export function parseRecords(text: string): AuditRecord[] {
  return text.split('\n').flatMap((line) => {
    try {
      // Written by our own service.
      return line === '' ? [] : [JSON.parse(line) as AuditRecord];
    } catch {
      return [];
    }
  });
}

/** All that these lines stand for; null: nothing. */
export function countsOf(records: readonly AuditRecord[]): Dropped | null {
  return records.reduce<Dropped | null>(
    (all, record) => joinDropped(all, 'dropped' in record ? record.dropped : single(record.time, record.tool)),
    null,
  );
}

export const single = (time: string, tool: string): Dropped => ({
  calls: 1,
  from: time,
  to: time,
  tools: { [tool]: 1 },
});

export function joinDropped(a: Dropped | null, b: Dropped): Dropped {
  if (a === null) return b;
  const tools = { ...a.tools };
  for (const [tool, calls] of Object.entries(b.tools)) tools[tool] = (tools[tool] ?? 0) + calls;
  return {
    calls: a.calls + b.calls,
    // Times of one form; the clock may have been set back between them.
    from: a.from < b.from ? a.from : b.from,
    to: a.to > b.to ? a.to : b.to,
    tools,
  };
}

/** What an agent asked for, and what became of it. */
export interface AuditEntry {
  client: string;
  token: string;
  tool: string;
  arguments: unknown;
  /** `started`, `done`, or why not. */
  decision: string;
  /**
   * Only where consent was needed: the user agreed at the screen of this machine, the agent's own program did (which counts by
   * `mcp.trustClientConfirmation` only), or nobody.
   */
  agreed?: 'screen' | 'client' | 'nobody';
}
