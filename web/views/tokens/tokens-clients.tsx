import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { When } from '../../components/time.tsx';
import { send } from '../../state/session.ts';
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
      <div class="scrolls">
        <table>
          <thead>
            <tr>
              <th>Client</th>
              <th>Token or browser</th>
              <th>Address</th>
              <th>Connected through</th>
              <th>Since</th>
            </tr>
          </thead>
          <tbody>
            {clients.value.map(({ token, scopes, address, software, through, since }, at) => (
              <tr key={`${since} ${at}`}>
                <td>{software ?? 'Unknown program'}</td>
                <td title={scopesInWords(scopes)}>{token}</td>
                <td>{isThisMachine(address) ? 'this machine' : address}</td>
                <td>{ways[through] ?? through}</td>
                <td>
                  <When at={since} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="small">
        Clients that ask over HTTP now and then are not connected; the last use of their token is above.
      </p>
    </Card>
  );
}

export const isThisMachine = (address: string) => /^(?:::ffff:)?127\.|^::1$/.test(address);
