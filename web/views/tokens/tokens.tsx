import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { Field } from '../../components/field.tsx';
import { ScopeChoice } from '../../components/scope-choice.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { levelOf } from '../../state/access-levels.ts';
import { allScopes } from '../../state/scopes.ts';
import { send } from '../../state/session.ts';
import { isThisMachine } from '../../state/this-machine.ts';
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
  const tokens = useSignal<TokenInfo[]>([]);
  const problem = useSignal('');
  const refresh = async () => {
    try {
      tokens.value = (await ask('GET')) as TokenInfo[];
      problem.value = '';
    } catch (thrown) {
      problem.value = thrown instanceof Error ? thrown.message : String(thrown);
    }
  };
  useEffect(() => void refresh(), []);
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
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
        <table class="phone-rows">
          <thead>
            <tr>
              <th>Name</th>
              <th>Permissions</th>
              <th>Last used</th>
              <th>Created</th>
              <th>
                <span class="spoken">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.value.map((info) => (
              <tr key={info.id}>
                <td>{info.name}</td>
                <td data-label="Permissions" class="wrap" title={scopesInFull(info.scopes)}>
                  {levelOf(info.scopes)?.title ?? scopesInWords(info.scopes)}
                  {info.kind !== 'general' ? <span class="quiet"> (agents only)</span> : null}
                </td>
                <td data-label="Last used">
                  {info.last_used === null ? 'never' : <When at={info.last_used} />}
                  {info.last_address === null ? null : (
                    <span class="quiet">
                      {' '}
                      from {isThisMachine(info.last_address) ? 'this machine' : info.last_address}
                    </span>
                  )}
                </td>
                <td data-label="Created">
                  {info.created === null ? 'at the first start' : <When at={info.created} />}
                </td>
                <td>
                  {info.created === null ? null : (
                    <button type="button" class="danger plain" onClick={() => revoke(info)}>
                      Revoke
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
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
