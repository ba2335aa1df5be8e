import { Card } from '../../components/card.tsx';
import { Table } from '../../components/table.tsx';
import { When } from '../../components/time.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { addressInWords } from '../../state/machine-address.ts';
import { send } from '../../state/session.ts';
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

const ways: Record<string, string> = { websocket: 'WebSocket', mcp: 'Agent (MCP)' };

/** All connected clients. Clients with single HTTP requests appear in the last use of their token. */
export function Clients() {
  const load = async () => (await send('GET', '/api/clients').catch(() => [])) as ConnectedClient[];
  const { data } = useLoaded(load, { everyMs: 5000 });
  return (
    <Card title="Connected now" icon="plug" wide>
      <Table
        class="phone-rows"
        rows={merged(data ?? [], lookOf).flatMap(([first, ...others]) =>
          first === undefined ? [] : [{ ...first, count: 1 + others.length }],
        )}
        rowKey={(row) => JSON.stringify(row)}
        columns={[
          {
            title: 'Client',
            show: ({ software, count }) => (
              <>
                {software ?? 'Unknown program'}
                {count === 1 ? null : <span class="quiet"> · {count} connections</span>}
              </>
            ),
          },
          { title: 'Token or browser', hint: ({ scopes }) => scopesInWords(scopes), show: ({ token }) => token },
          { title: 'Address', show: ({ address }) => addressInWords(address) },
          { title: 'Connected through', show: ({ through }) => ways[through] ?? through },
          { title: 'Since', show: ({ since }) => <When at={since} /> },
        ]}
      />
      <p class="small">
        Clients that ask over HTTP now and then are not connected; the last use of their token is above.
      </p>
    </Card>
  );
}

const lookOf = ({ token, address, software, through }: ConnectedClient) => [token, address, software, through];
