import { createOauthClients } from '../../access/oauth/clients.ts';
import { openTokens } from '../../access/tokens/tokens.ts';
import { scopes } from '../../features/index.ts';
import type { CliContext } from '../context.ts';

/** The id and the secret contain the registration, so they are stored only by the client. The user still approves each grant. */
export function printMcpClient(
  { host, print }: CliContext,
  name: string,
  { redirect, json = false }: { redirect: string; json?: boolean },
): void {
  const { id, secret } = createOauthClients(openTokens(scopes, host)).registerWithSecret(name, redirect);
  if (json) return print(JSON.stringify({ client_id: id, client_secret: secret }, null, 2));
  print(`Client ID:     ${id}\nClient secret: ${secret}`);
}
