import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { When } from '../../components/time.tsx';
import { send } from '../../state/session.ts';
import { isThisMachine } from '../../state/this-machine.ts';
import { merged } from './tokens-merge.ts';
import { scopesInWords } from './tokens-text.ts';

/** See connectedClientSchema of the service. */
interface ConnectedClient {
  token: string;
  scopes: string[];
  address: string;
  software: string | null;
  through: string;
  since: string;
}

const refreshMs = 5000;
const ways: Record<string, string> = { websocket: 'WebSocket', mcp: 'Agent (MCP)' };

/** All connected clients. Clients with single HTTP requests appear in the last use of their token. */
export function Clients() {
  const clients = useSignal<ConnectedClient[]>([]);
  useEffect(() => {
    const refresh = async () => {
      if (!document.hidden) clients.value = (await send('GET', '/api/clients').catch(() => [])) as ConnectedClient[];
    };
    void refresh();
    const timer = setInterval(refresh, refreshMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Card title="Connected now" icon="plug" wide>
      <table class="phone-rows">
        <TableHead texts={['Client', 'Token or browser', 'Address', 'Connected through', 'Since']} />
        <tbody>
          {merged(clients.value, lookOf).map((row) => (
            <ClientRow key={JSON.stringify(row[0])} row={row} />
          ))}
        </tbody>
      </table>
      <p class="small">
        Clients that ask over HTTP now and then are not connected; the last use of their token is above.
      </p>
    </Card>
  );
}

const lookOf = ({ token, address, software, through }: ConnectedClient) => [token, address, software, through];

function ClientRow({ row }: { row: readonly ConnectedClient[] }) {
  const [first] = row;
  if (first === undefined) return null;
  const { token, scopes, address, software, through, since } = first;
  return (
    <tr>
      <td>
        {software ?? 'Unknown program'}
        {row.length === 1 ? null : <span class="quiet"> · {row.length} connections</span>}
      </td>
      <td data-label="Token or browser" title={scopesInWords(scopes)}>
        {token}
      </td>
      <td data-label="Address">{isThisMachine(address) ? 'this machine' : address}</td>
      <td data-label="Connected through">{ways[through] ?? through}</td>
      <td data-label="Since">
        <When at={since} />
      </td>
    </tr>
  );
}
