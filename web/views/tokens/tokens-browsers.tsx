import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { confirmed } from '../../components/confirm.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { allScopes } from '../../state/scopes.ts';
import { type BrowserSession, endSession, send, session } from '../../state/session.ts';
import { scopesInWords } from './tokens-text.ts';

/** Every browser that is signed in, with a button to sign it out. */
export function Browsers() {
  const browsers = useSignal<BrowserSession[]>([]);
  const refresh = async () => {
    browsers.value = (await send('GET', '/api/sessions').catch(() => [])) as BrowserSession[];
  };
  useEffect(() => void refresh(), []);
  const end = async ({ id, name }: BrowserSession) => {
    if (id === session.value?.id) return endSession();
    if (!(await confirmed(`Sign out ${name}?`, 'That browser has to sign in again.', 'Sign out'))) return;
    await attempt(async () => {
      await send('DELETE', '/api/sessions', { id });
      return undefined;
    }, `${name} was signed out.`);
    await refresh();
  };
  return (
    <Card title="Browsers" icon="display" wide>
      <div class="scrolls">
        <table>
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
            {browsers.value.map((browser) => (
              <tr key={browser.id}>
                <td>
                  {browser.name}
                  {browser.id === session.value?.id ? ' (this one)' : ''}
                </td>
                <td>{browser.address}</td>
                <td class="wrap">
                  {browser.token}
                  {browser.scopes.length === allScopes.length ? '' : `: ${scopesInWords(browser.scopes).toLowerCase()}`}
                </td>
                <td>
                  <When at={browser.last_used} />
                </td>
                <td>
                  <When at={browser.expires} />
                  {browser.stay ? '' : ', or until its tab is closed'}
                </td>
                <td>
                  <button type="button" class="danger plain" onClick={() => end(browser)}>
                    Sign out
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
