import type { ModulePayloads } from '@hostler/client/client.ts';

type Connection = ModulePayloads['networks']['connections'][number];

export interface OpenPorts {
  /** null: not known, as of processes of other users. */
  program: string | null;
  /** One of its processes. */
  pid: number | null;
  /** Reachable from the network, in order: `TCP 22`. */
  everywhere: string[];
  /** Reachable from this machine only. */
  local: string[];
}

const isLoopback = (address: string) => /^(?:\[::ffff:)?127\.|^\[::1\]$/.test(address);

/** By program, those that the network reaches first. A UDP socket without a peer takes packets of anyone. */
export function openPorts(connections: readonly Connection[], names: ReadonlyMap<number, string>): OpenPorts[] {
  const listening = connections.filter(
    ({ status, raddr, type }) => status === 'LISTEN' || (type !== 1 && raddr === null),
  );
  const programOf = ({ pid }: Connection) => (pid === null ? null : (names.get(pid) ?? `process ${pid}`));
  const programs = [...Map.groupBy(listening, programOf)].map(([program, of]): OpenPorts => {
    const ports = (isLocal: boolean) => [
      ...new Set(
        of
          .map(({ laddr, type }) => ({ ...partsOf(laddr), kind: type === 1 ? 'TCP' : 'UDP' }))
          .filter(({ address, port }) => port > 0 && isLoopback(address) === isLocal)
          .toSorted((a, b) => a.port - b.port)
          .map(({ kind, port }) => `${kind} ${port}`),
      ),
    ];
    const everywhere = ports(false);
    return {
      program,
      pid: of[0]?.pid ?? null,
      everywhere,
      local: ports(true).filter((port) => !everywhere.includes(port)),
    };
  });
  return programs
    .filter(({ everywhere, local }) => everywhere.length + local.length > 0)
    .toSorted((a, b) => Math.sign(b.everywhere.length) - Math.sign(a.everywhere.length));
}

/** `0.0.0.0:22`, `[::]:22`. */
function partsOf(place: string): { address: string; port: number } {
  const at = place.lastIndexOf(':');
  return { address: place.slice(0, at), port: Number(place.slice(at + 1)) };
}

export interface KnownToken {
  name: string;
  scopes: string[];
  created: string | null;
  last_used: string | null;
}

const unusedMs = 90 * 86_400_000;

/** Tokens that were created, and not used for 90 days. The first one belongs to the user of the machine. */
export const unusedTokens = (tokens: readonly KnownToken[], now: number): string[] =>
  tokens
    .filter(({ created, last_used }) => created !== null && now - Date.parse(last_used ?? created) > unusedMs)
    .map(({ name }) => name);
