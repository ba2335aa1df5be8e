import { ownCommand } from '../../lib/own-command.ts';
import { outline } from '../../lib/text-table.ts';
import { timeInWords } from '../../lib/units.ts';

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
