import { expect, test } from 'bun:test';
import { fakeClock, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createAudit } from '../../access/audit/audit.ts';
import { answering } from '../../core/command.ts';
import { printAgentLog } from './mcp-log.ts';

const paths = { state: '/state', config: '/config', runtime: '/run' };
const entry = { client: 'tester 1', token: 'main', tool: 'control_media', arguments: {}, decision: 'done' };

function machine(limit?: number) {
  const clock = fakeClock();
  const host = fakeHost({ storage: memoryStorage(), paths, clock });
  const audit = createAudit(host, () => {}, limit);
  const printed = (options: { json?: boolean; all?: boolean } = {}) => {
    const lines: string[] = [];
    const print = (text: string) => void lines.push(text);
    const output = answering(print, options.json === true);
    printAgentLog({ host, ...output, screen: () => ({ columns: null, ascii: false }) }, options);
    return lines.join('\n');
  };
  return { audit, clock, printed };
}

test('changes are listed with who agreed, and are not displaced by reads', () => {
  const { audit, clock, printed } = machine();
  expect(printed()).toBe('No agent has done anything yet');
  audit({ ...entry, tool: 'run_command', agreed: 'screen' }, 'consent');
  clock.advance(1000);
  audit(entry, 'acting');
  for (let count = 0; count < 500; count++) audit({ ...entry, tool: 'get_overview' }, 'reading');
  const [head, first, second, note, ...more] = printed().split('\n');
  expect(head).toMatch(/^TIME +AGENT +TOKEN +TOOL +ARGUMENTS +AGREED +OUTCOME$/);
  expect(first).toMatch(/^2026-01-01T00:00:00.000Z .* run_command .* the user, at the screen +done$/);
  expect(second).toMatch(/ control_media .* - +done$/);
  expect(note).toStartWith('500 calls that changed nothing are not listed');
  expect(more).toEqual([]);
  expect(printed({ all: true }).split('\n')).toHaveLength(1 + 2 + 200);
  expect(JSON.parse(printed({ json: true }))).toHaveLength(502);
});

test('refused calls are listed with their arguments, also those refused before anything was understood', () => {
  const { audit, printed } = machine();
  audit({ ...entry, tool: 'get_overview' }, 'reading');
  audit({ ...entry, tool: 'run_command', arguments: { command_id: 'x' }, decision: 'forbidden: no' }, 'reading');
  const [, refused, note] = printed().split('\n');
  expect(refused).toMatch(/ run_command +\{"command_id":"x"\} +- +forbidden: no$/);
  expect(note).toStartWith('1 calls that changed nothing are not listed');
});

test('an answer from elsewhere than the screen is listed with who gave it', () => {
  const { audit, printed } = machine();
  const by = '"Chrome on Android" (browser-1) at 192.168.1.7';
  audit({ ...entry, agreed: 'dashboard', answered_by: by }, 'consent');
  audit({ ...entry, agreed: 'nobody', answered_by: 'the command line', decision: 'forbidden' }, 'consent');
  const [, allowed = '', denied = ''] = printed().split('\n');
  expect(allowed.replace(/ +/g, ' ')).toEndWith(`{} ${by} done`);
  expect(denied.replace(/ +/g, ' ')).toEndWith('{} denied by the command line forbidden');
});

test('dropped entries are reported, also those of the previous file', () => {
  const { audit, clock, printed } = machine(1000);
  for (let count = 0; count < 50; count++) {
    audit(entry, 'acting');
    clock.advance(1000);
  }
  const listed = printed().split('\n');
  const kept = listed.length - 2;
  expect(listed.at(-1)).toBe(
    `No longer in this log: ${50 - kept} calls that changed something, from 2026-01-01T00:00:00.000Z to ${new Date(Date.UTC(2026, 0, 1, 0, 0, 49 - kept)).toISOString()} (control_media ${50 - kept})`,
  );
});
