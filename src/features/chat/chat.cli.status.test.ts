import { expect, test } from 'bun:test';
import { timeInWords } from '../../lib/units.ts';
import { type ChatStatus, chatStatusText } from './chat.cli.ts';

const until = '2026-11-25T12:00:00.000Z';
const connected: ChatStatus = {
  set_up: true,
  problem: null,
  client_id: '1234',
  permitted_until: until,
  service_runs: true,
  connected: true,
  authenticated: true,
  user: 'nelly',
};

test('the status has one line each for setup, permission and connection', () => {
  expect(chatStatusText(connected).split('\n')).toEqual([
    'setup       application 1234',
    `permission  given, and renewed after ${timeInWords(Date.parse(until) / 1000)}`,
    'connection  connected as nelly',
  ]);
});

test.each([
  [{ set_up: false, client_id: null }, 'The voice chat is not set up; run "hostler chat setup".'],
  [{ set_up: false, problem: 'a file is broken' }, 'The voice chat is not set up correctly: a file is broken'],
  [{ permitted_until: null }, 'permission  not given yet; the voice-chat application asks for it\n'],
  [{ service_runs: false }, 'connection  none, because the service is not running; start it with "hostler serve"'],
  [{ connected: false }, 'connection  none, because the voice-chat application is not running'],
  [{ authenticated: false }, 'connection  the voice-chat application is asking you for permission: accept it there'],
])('the status with %j', (differs, text) => {
  expect(chatStatusText({ ...connected, ...differs })).toContain(text);
});
