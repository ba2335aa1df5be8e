import { useSignal } from '@preact/signals';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { Field } from '../../components/field.tsx';
import { ScopeChoice } from '../../components/scope-choice.tsx';
import { Table } from '../../components/table.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { levelOf } from '../../state/access-levels.ts';
import { useLoaded } from '../../state/loaded.ts';
import { addressInWords } from '../../state/machine-address.ts';
import { allScopes } from '../../state/scopes.ts';
import { send } from '../../state/session.ts';
import { Browsers } from './tokens-browsers.tsx';
import { Clients } from './tokens-clients.tsx';
import { PauseCard } from './tokens-pause.tsx';
import { Phones } from './tokens-phones.tsx';
import { scopesInFull, scopesInWords } from './tokens-text.ts';

interface TokenInfo {
  id: string;
  name: string;
  scopes: string[];
  kind: string;
  created: string | null;
  last_used: string | null;
  last_address: string | null;
}

export function Tokens() {
  const { data: tokens, problem, refresh } = useLoaded(async () => (await ask('GET')) as TokenInfo[]);
  if (problem !== '') return <p class="problem">{problem}</p>;
  const revoke = async ({ id, name }: TokenInfo) => {
    if (!(await confirmed(`Revoke ${name}?`, `Clients that use the token ${name} lose access at once.`, 'Revoke')))
      return;
    await attempt(async () => {
      await ask('DELETE', { id });
      return undefined;
    }, `${name} was revoked.`);
    await refresh();
  };
  return (
    <div class="cards">
      <PauseCard />
      <Card title="Tokens" icon="key" wide>
        <Table
          class="phone-rows"
          rows={tokens ?? []}
          rowKey={({ id }) => id}
          columns={[
            { title: 'Name', show: ({ name }) => name },
            {
              title: 'Permissions',
              kind: 'wrap',
              hint: ({ scopes }) => scopesInFull(scopes),
              show: ({ scopes, kind }) => (
                <>
                  {levelOf(scopes)?.title ?? scopesInWords(scopes)}
                  {kind !== 'general' ? <span class="quiet"> (agents only)</span> : null}
                </>
              ),
            },
            {
              title: 'Last used',
              show: ({ last_used, last_address: address }) => (
                <>
                  {last_used === null ? 'never' : <When at={last_used} />}
                  {address === null ? null : <span class="quiet"> from {addressInWords(address)}</span>}
                </>
              ),
            },
            {
              title: 'Created',
              show: ({ created }) => (created === null ? 'at the first start' : <When at={created} />),
            },
            {
              title: 'Revoke',
              kind: 'actions',
              show: (info) =>
                info.created === null ? null : (
                  <button type="button" class="danger plain" onClick={() => revoke(info)}>
                    Revoke
                  </button>
                ),
            },
          ]}
        />
      </Card>
      <Clients />
      <Browsers />
      <Phones />
      <NewToken made={refresh} />
    </div>
  );
}

function NewToken({ made }: { made(): void }) {
  const name = useSignal('');
  const chosen = useSignal<string[]>(['read']);
  const secret = useSignal('');
  const submit = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      const created = (await ask('POST', { name: name.value, scopes: chosen.value })) as { token: string };
      secret.value = created.token;
      return undefined;
    }, `${name.value} was created.`);
    made();
  };
  return (
    <Card title="New token" icon="add" wide>
      <form class="sheet" onSubmit={submit}>
        <Field label="Client name" value={name} required />
        <ScopeChoice chosen={chosen} among={allScopes} />
        <button type="submit" disabled={chosen.value.length === 0}>
          Create token
        </button>
        {secret.value === '' ? null : (
          <p role="status">
            Copy its secret now; it is not shown again: <code class="secret">{secret.value}</code>
          </p>
        )}
      </form>
    </Card>
  );
}

const ask = (method: string, body?: object) => send(method, '/api/tokens', body);
