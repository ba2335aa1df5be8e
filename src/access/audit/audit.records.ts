/** Calls that are missing from the record. */
export interface Dropped {
  calls: number;
  /** ISO times of the first and the last of them. */
  from: string;
  to: string;
  tools: Record<string, number>;
}

export type AuditRecord = { time: string } & (AuditEntry | { dropped: Dropped });

/** Skips truncated lines, for example after a full disk. */
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

/** The calls of these lines, counted; null: no lines. */
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

/** A call of an agent and its outcome. */
export interface AuditEntry {
  client: string;
  token: string;
  tool: string;
  arguments: unknown;
  /** `started`, `done`, or the reason of the refusal. */
  decision: string;
  /**
   * Only where consent was needed. `screen`: the user agreed on the screen of this machine; `dashboard`: in a browser with the scope admin;
   * `command`: with `hostler approve`; `client`: the agent's own program asked (valid with `mcp.trustClientConfirmation` only); the last
   * value: no consent was given.
   */
  agreed?: 'screen' | 'dashboard' | 'command' | 'client' | 'nobody';
  /** Who allowed or denied it in the dashboard or on the command line. */
  answered_by?: string;
}
