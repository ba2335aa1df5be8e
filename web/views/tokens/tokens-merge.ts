/** What of a browser session decides whether it is the same browser. */
interface Session {
  id: string;
  name: string;
  token: string;
  address: string;
  scopes: readonly string[];
  last_used: string;
}

/** An open page renews its token every three minutes, and the service notes a use every ten. */
const openMs = 15 * 60_000;

/** The sessions of each browser, newest first: those with an open page, and the others. */
export function browserRows<S extends Session>(
  sessions: readonly S[],
  ownId: string | undefined,
  now: number,
): { open: S[][]; closed: S[][] } {
  const byUse = sessions.toSorted((a, b) => Date.parse(b.last_used) - Date.parse(a.last_used));
  const rows = merged(byUse, ({ name, token, address, scopes }) => [name, token, address, ...scopes]);
  const isOpen = (row: readonly S[]) =>
    row.some(({ id, last_used }) => id === ownId || now - Date.parse(last_used) < openMs);
  return { open: rows.filter(isOpen), closed: rows.filter((row) => !isOpen(row)) };
}

/** Entries that would look the same, as one row. */
export const merged = <T>(list: readonly T[], look: (entry: T) => readonly (string | null)[]): T[][] => [
  ...Map.groupBy(list, (entry) => JSON.stringify(look(entry))).values(),
];
