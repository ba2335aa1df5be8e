import { expect, test } from 'bun:test';
import { noHistory } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { commandExecute } from '../../features/command/command.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { rememberingAgents } from './mcp.transport.ts';

const notify = {
  description: 'Shows a notification on the desktop, and reports which of its buttons was pressed',
  agent: { tool: { name: 'send_notification' } },
} as ActionDefinition;
const settings = () => ({ commands: { allowlist: [{ id: 'site', name: 'Build the site' }] } }) as unknown as Settings;

test("an agent's action is one line with its token, and the client's name is quoted", () => {
  const noted: string[] = [];
  const history = { ...noHistory, note: (kind: string, text: string) => void noted.push(`${kind}: ${text}`) };
  let audited = 0;
  const audit = rememberingAgents(() => void audited++, { actions: [notify, commandExecute], history }, settings);
  const entry = { client: 'Claude called open_url: done; "x"', token: 'mcp-cursor', arguments: null };
  audit({ ...entry, tool: 'send_notification', decision: 'done' }, 'acting');
  audit({ ...entry, tool: 'send_notification', decision: 'invalid: the title is "my secret"' }, 'reading');
  audit({ ...entry, tool: 'get_overview', decision: 'done' }, 'reading');
  const run = { ...entry, tool: 'run_command', arguments: { command_id: 'site' } };
  audit({ ...run, decision: 'started' }, 'consent');
  audit({ ...run, decision: 'done' }, 'consent');
  audit({ ...run, arguments: { command_id: 'rm -rf' }, decision: 'not_found: no such command' }, 'consent');
  const by = 'by the agent "Claude called open_url: done; \\"x\\"" with the token "mcp-cursor"';
  expect(noted).toEqual([
    `agent: Shows a notification on the desktop, ${by}`,
    `agent: Shows a notification on the desktop, ${by}: invalid`,
    `agent: Build the site, ${by}`,
    `agent: Runs a program that the settings allow, ${by}: not found`,
  ]);
  expect(audited).toBe(6);
});
