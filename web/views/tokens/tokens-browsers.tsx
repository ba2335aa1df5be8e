import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { Icon } from '../../components/icon.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { useTime } from '../../state/clock.ts';
import { allScopes } from '../../state/scopes.ts';
import { type BrowserSession, endSession, send, session } from '../../state/session.ts';
import { isThisMachine } from '../../state/this-machine.ts';
import { browserRows } from './tokens-merge.ts';
import { scopesInWords } from './tokens-text.ts';

/** Every browser that is signed in, with a button to sign it out. Those without an open page are folded. */
export function Browsers() {
  const browsers = useSignal<BrowserSession[]>([]);
  const now = useTime(30_000);
  const refresh = async () => {
    browsers.value = (await send('GET', '/api/sessions').catch(() => [])) as BrowserSession[];
  };
  useEffect(() => void refresh(), []);
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
  const { open, closed } = browserRows(browsers.value, session.value?.id, now);
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

function BrowserTable({ rows, end }: BrowserTableProps) {
  return (
    <table class="phone-rows">
      <thead>
        <tr>
          <th>Browser</th>
          <th>Address</th>
          <th>Signed in with</th>
          <th>Last used</th>
          <th>Signed in until</th>
          <th>
            <span class="spoken">Sign out</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <BrowserRows
            key={row.map(({ name, token, address }) => `${name} ${token} ${address}`)[0]}
            row={row}
            end={end}
          />
        ))}
      </tbody>
    </table>
  );
}

/** One row for a browser; its sessions one by one on demand. */
function BrowserRows({ row, end }: { row: readonly BrowserSession[]; end: BrowserTableProps['end'] }) {
  const isOpen = useSignal(false);
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  if (row.length === 1) return <BrowserRow row={row} end={end} />;
  return (
    <>
      <BrowserRow row={row} end={end}>
        <button type="button" class="bare" aria-expanded={isOpen.value} onClick={toggle}>
          {row.length} sessions <Icon name={isOpen.value ? 'down' : 'right'} />
        </button>
      </BrowserRow>
      {isOpen.value ? row.map((each) => <BrowserRow key={each.id} row={[each]} end={end} />) : null}
    </>
  );
}

interface BrowserRowProps {
  row: readonly BrowserSession[];
  end: BrowserTableProps['end'];
  children?: ComponentChildren;
}

function BrowserRow({ row, end, children }: BrowserRowProps) {
  const [newest] = row;
  if (newest === undefined) return null;
  const { name, address, token, scopes, last_used, expires, stay } = newest;
  return (
    <tr>
      <td class="wrap">
        {name}
        {row.some(({ id }) => id === session.value?.id) ? ' (this one)' : ''} {children}
      </td>
      <td data-label="Address">{isThisMachine(address) ? 'this machine' : address}</td>
      <td data-label="Signed in with" class="wrap">
        {token}
        {scopes.length === allScopes.length ? '' : `: ${scopesInWords(scopes).toLowerCase()}`}
      </td>
      <td data-label="Last used">
        <When at={last_used} />
      </td>
      <td data-label="Signed in until">
        <When at={expires} />
        {stay ? '' : ', or until its tab is closed'}
      </td>
      <td>
        <button type="button" class="danger plain" onClick={() => end(row)}>
          {row.length === 1 ? 'Sign out' : 'Sign out all'}
        </button>
      </td>
    </tr>
  );
}
