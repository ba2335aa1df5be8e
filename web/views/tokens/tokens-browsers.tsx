import { useSignal } from '@preact/signals';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { Table } from '../../components/table.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { useTime } from '../../state/clock.ts';
import { useLoaded } from '../../state/loaded.ts';
import { addressInWords } from '../../state/machine-address.ts';
import { allScopes } from '../../state/scopes.ts';
import { type BrowserSession, endSession, send, session } from '../../state/session.ts';
import { browserRows } from './tokens-merge.ts';
import { scopesInWords } from './tokens-text.ts';

/** Every browser that is signed in, with a button to sign it out. Those without an open page are folded. */
export function Browsers() {
  const now = useTime(30_000);
  const load = async () => (await send('GET', '/api/sessions').catch(() => [])) as BrowserSession[];
  const { data, refresh } = useLoaded(load);
  const end = async (row: readonly BrowserSession[]) => {
    const [{ name } = { name: '' }] = row;
    const own = row.find(({ id }) => id === session.value?.id);
    const question = row.length === 1 ? `Sign out ${name}?` : `Sign out ${name}, ${row.length} sessions?`;
    if (own === undefined || row.length > 1) {
      if (!(await confirmed(question, 'That browser has to sign in again.', 'Sign out'))) return;
    }
    await attempt(async () => {
      for (const { id } of row) if (id !== own?.id) await send('DELETE', '/api/sessions', { id });
      return undefined;
    }, `${name} was signed out.`);
    if (own !== undefined) return endSession();
    await refresh();
  };
  const { open, closed } = browserRows(data ?? [], session.value?.id, now);
  return (
    <Card title="Browsers" icon="display" wide>
      <BrowserTable rows={open} end={end} />
      {closed.length === 0 ? null : (
        <details class="unknown">
          <summary>Signed in, but not open now ({closed.length})</summary>
          <BrowserTable rows={closed} end={end} />
        </details>
      )}
    </Card>
  );
}

interface BrowserTableProps {
  rows: readonly BrowserSession[][];
  end(row: readonly BrowserSession[]): void;
}

/** One row for a browser; its sessions one by one on demand. */
function BrowserTable({ rows, end }: BrowserTableProps) {
  const opened = useSignal<readonly string[]>([]);
  const toggle = (look: string) => {
    const { value: before } = opened;
    opened.value = before.includes(look) ? before.filter((each) => each !== look) : [...before, look];
  };
  const shown = rows.flatMap((row) => {
    const [newest] = row;
    if (newest === undefined) return [];
    const look = `${newest.name} ${newest.token} ${newest.address}`;
    const isOpen = opened.value.includes(look);
    const single = isOpen ? row.map((each) => ({ ...each, key: each.id, row: [each], look, isOpen })) : [];
    return [{ ...newest, key: look, row, look, isOpen }, ...single];
  });
  return (
    <Table
      class="phone-rows"
      rows={shown}
      rowKey={({ key }) => key}
      columns={[
        {
          title: 'Browser',
          kind: 'wrap',
          show: ({ name, row, look, isOpen }) => (
            <>
              {name}
              {row.some(({ id }) => id === session.value?.id) ? ' (this one)' : ''}{' '}
              {row.length === 1 ? null : (
                <button type="button" class="bare" aria-expanded={isOpen} onClick={() => toggle(look)}>
                  {row.length} sessions <Icon name={isOpen ? 'down' : 'right'} />
                </button>
              )}
            </>
          ),
        },
        { title: 'Address', show: ({ address }) => addressInWords(address) },
        {
          title: 'Signed in with',
          kind: 'wrap',
          show: ({ token, scopes }) =>
            scopes.length === allScopes.length ? token : `${token}: ${scopesInWords(scopes).toLowerCase()}`,
        },
        { title: 'Last used', show: ({ last_used }) => <When at={last_used} /> },
        {
          title: 'Signed in until',
          show: ({ expires, stay }) => (
            <>
              <When at={expires} />
              {stay ? '' : ', or until its tab is closed'}
            </>
          ),
        },
        {
          title: 'Sign out',
          kind: 'actions',
          show: ({ row }) => (
            <button type="button" class="danger plain" onClick={() => end(row)}>
              {row.length === 1 ? 'Sign out' : 'Sign out all'}
            </button>
          ),
        },
      ]}
    />
  );
}
