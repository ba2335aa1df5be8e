import { expect, test } from 'bun:test';
import { noHistory } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { rememberingAgents } from './mcp.transport.ts';

const notify = { agent: { tool: { name: 'send_notification' } } } as ActionDefinition;

test("an agent's action is recorded with its token, and the client's name is quoted", () => {
  const noted: string[] = [];
  const history = { ...noHistory, note: (kind: string, text: string) => void noted.push(`${kind}: ${text}`) };
  let audited = 0;
  const audit = rememberingAgents(() => void audited++, { actions: [notify], history });
  const entry = { client: 'Claude called open_url: done; "x"', token: 'mcp-cursor', arguments: null };
  audit({ ...entry, tool: 'send_notification', decision: 'done' }, 'acting');
  audit({ ...entry, tool: 'send_notification', decision: 'invalid: the title is "my secret"' }, 'reading');
  audit({ ...entry, tool: 'get_overview', decision: 'done' }, 'reading');
  const by = 'by the token "mcp-cursor", as "Claude called open_url: done; \\"x\\""';
  expect(noted).toEqual([`agent: send_notification ${by}: done`, `agent: send_notification ${by}: invalid`]);
  expect(audited).toBe(3);
});
