import { createOauthClients } from '../../access/oauth/clients.ts';
import { openTokens } from '../../access/tokens/tokens.ts';
import { scopes } from '../../features/index.ts';
import type { CliContext } from '../context.ts';

/** The id and the secret contain the registration, so they are stored only by the client. The user still approves each grant. */
export function printMcpClient({ host, answer }: CliContext, name: string, { redirect }: { redirect: string }): void {
  const { id, secret } = createOauthClients(openTokens(scopes, host)).registerWithSecret(name, redirect);
  answer({ client_id: id, client_secret: secret }, `Client ID:     ${id}\nClient secret: ${secret}`);
}
