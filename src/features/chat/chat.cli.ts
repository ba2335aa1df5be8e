import type { CommandContext } from '../../core/command.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { outline } from '../../lib/text-table.ts';
import { timeInWords } from '../../lib/units.ts';
import { isObject } from '../../lib/values.ts';
import { chatFiles } from './client/chat.credentials.ts';

const explanation = `To let the service see the voice chat, create an application of your own:
  1. Open https://discord.com/developers/applications and choose "New Application".
  2. Under "OAuth2", add the redirect http://localhost and save.
  3. Copy the client id and the client secret from there.`;

export async function setUpChat(context: CommandContext, { clientId: given }: { clientId?: string }): Promise<void> {
  const { host, print, complain } = context;
  const prompt = await context.prompt();
  if (prompt.interactive) complain(explanation);
  const clientId = checkedId((given ?? prompt.line('Client id: ')).trim());
  const clientSecret = checkedSecret(prompt.secret('Client secret (not shown): '), clientId);
  const files = chatFiles(host);
  const before = files.setUp();
  // Tokens of another application are useless for this one.
  if (before.kind !== 'ready' || before.credentials.clientId !== clientId) files.forgetTokens();
  print(`The voice chat is set up; the credentials are in ${files.write({ clientId, clientSecret })}.`);
  print(await whatFollows(context));
}

export function forgetChat({ host, print }: CommandContext): void {
  const there = chatFiles(host).forget();
  print(there ? 'The voice-chat setup and its permission were removed.' : 'There was no setup to remove.');
}

export async function printChatStatus(context: CommandContext): Promise<void> {
  const files = chatFiles(context.host);
  const setUp = files.setUp();
  const tokens = files.tokens();
  const payload = await payloadOf(context);
  const { user } = payload ?? {};
  const status: ChatStatus = {
    set_up: setUp.kind === 'ready',
    problem: setUp.kind === 'broken' ? setUp.sentence : null,
    client_id: setUp.kind === 'ready' ? setUp.credentials.clientId : null,
    permitted_until: tokens === null ? null : new Date(tokens.expires_at * 1000).toISOString(),
    service_runs: await context.isServiceRunning(),
    connected: payload?.connected === true,
    authenticated: payload?.authenticated === true,
    user: isObject(user) ? String(user.username) : null,
  };
  await context.answer(status, chatStatusText(status));
}

/** Reading the module makes the service connect, and the application shows its permission prompt. */
async function whatFollows(context: CommandContext): Promise<string> {
  if (!(await context.isServiceRunning()))
    return 'Once the service is running and its data is requested, the application will ask you for permission.';
  const payload = await payloadOf(context);
  if (payload?.authenticated === true) return 'The service is connected to the application.';
  if (payload?.connected === true) return 'The application is asking you for permission now: accept it there.';
  return 'The application is not running. When it starts, it will ask you for permission: accept it there.';
}

/** null: no service, or no such module in it. */
async function payloadOf(context: CommandContext): Promise<Record<string, unknown> | null> {
  if (!(await context.isServiceRunning())) return null;
  const payload = await context.readRunning('chat').catch(() => null);
  return isObject(payload) ? payload : null;
}

function checkedId(id: string): string {
  if (/^\d+$/.test(id)) return id;
  throw new ServiceError(
    'invalid',
    "The client id must be a number, as shown on the application's page; nothing was changed",
  );
}

function checkedSecret(secret: string, clientId: string): string {
  if (secret === '' || secret === clientId)
    throw new ServiceError(
      'invalid',
      "The client secret is missing; create one on the application's page. Nothing was changed",
    );
  return secret;
}

export interface ChatStatus {
  set_up: boolean;
  /** What is wrong with the files of the setup. */
  problem: string | null;
  client_id: string | null;
  permitted_until: string | null;
  service_runs: boolean;
  connected: boolean;
  authenticated: boolean;
  user: string | null;
}

export function chatStatusText(status: ChatStatus): string {
  const { set_up, problem, client_id, permitted_until } = status;
  if (problem !== null) return `The voice chat is not set up correctly: ${problem}`;
  if (!set_up) return `The voice chat is not set up; run "${ownCommand('chat setup')}".`;
  return outline({
    setup: `application ${client_id}`,
    permission:
      permitted_until === null
        ? 'not given yet; the voice-chat application asks for it'
        : `given, and renewed after ${timeInWords(Date.parse(permitted_until) / 1000)}`,
    connection: connectionOf(status),
  });
}

function connectionOf({ service_runs, connected, authenticated, user }: ChatStatus): string {
  if (!service_runs) return `none, because the service is not running; start it with "${ownCommand('serve')}"`;
  if (!connected) return 'none, because the voice-chat application is not running, or not as this user';
  if (!authenticated) return 'the voice-chat application is asking you for permission: accept it there';
  return user === null ? 'connected' : `connected as ${user}`;
}
