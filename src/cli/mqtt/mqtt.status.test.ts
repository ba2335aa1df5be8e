import { expect, test } from 'bun:test';
import type { MqttStatus } from '../../transports/mqtt/mqtt.schema.ts';
import { mqttStatusText } from './mqtt.status.ts';

const now = Date.parse('2026-11-18T12:00:00Z');
const connected: MqttStatus = {
  enabled: true,
  broker: 'mqtts://broker.example:8883',
  encrypted: true,
  connected: true,
  since: '2026-11-18T10:58:00.000Z',
  protocol: '5',
  id: 'desk',
  topic: 'hostler/desk',
  modules: ['cpu', 'memory'],
  entities: 87,
  discovery: 'device',
  messages: 1,
  scopes: ['read', 'media'],
  controls: ['volume', 'mute'],
  problem: null,
  retry_at: null,
};

test('the status has one line for each fact about the broker', () => {
  expect(mqttStatusText(connected, now).split('\n')).toEqual([
    'broker          mqtts://broker.example:8883, encrypted',
    'connection      connected for 1 h 2 min, with MQTT 5',
    'publishes       2 modules below hostler/desk; 1 message since the service started',
    'home assistant  87 entities, announced as one device',
    'controls        volume, mute',
    'access          Every client that can publish at the broker can: control media players and volume, play sounds, say texts.',
  ]);
});

test.each([
  [{ enabled: false, broker: null }, 'No broker is set; "hostler mqtt setup" sets one.'],
  [
    { connected: false, since: null, problem: 'it refused the password', retry_at: '2026-11-18T12:00:30.000Z' },
    'connection      not connected: it refused the password; the next attempt is in 30 s\n',
  ],
  [{ connected: false, since: null }, 'connection      not connected: the connection is being made\n'],
  [{ discovery: 'off' as const, entities: 0 }, 'home assistant  not announced, because mqtt.discovery is off\n'],
  [{ discovery: 'entity' as const, entities: 1 }, 'home assistant  1 entity, announced one by one\n'],
  [
    { controls: [], scopes: ['read'] },
    'controls        none\naccess          The broker receives the data of this machine; nothing',
  ],
  [{ encrypted: false }, 'broker          mqtts://broker.example:8883, not encrypted\n'],
])('the status with %j', (differs, text) => {
  expect(mqttStatusText({ ...connected, ...differs }, now)).toContain(text);
});

test('values of a service of another version are shown unchanged', () => {
  expect(mqttStatusText({ state: 'fine' }, now)).toBe('state  fine');
});
