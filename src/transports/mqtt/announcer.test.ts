import { describe, expect, test } from 'bun:test';
import { discoveryProblems } from '../../../test/harness/home-assistant.ts';
import type { Announced } from './announced.ts';
import { createAnnouncer } from './announcer.ts';
import { componentConfig, deviceBlock, originBlock } from './discovery.ts';
import { topicsOf } from './topics.ts';

const topics = topicsOf('hostler', 'id');
const facts = { id: 'id', name: 'Machine', manufacturer: null, model: null, mac: 'AA:BB:CC:00:11:22', address: null };
const frame = () => ({ device: deviceBlock(facts, 'id', '6.0.0', null), origin: originBlock('6.0.0') });

const config = (key: string, component: 'sensor' | 'button' = 'sensor') =>
  componentConfig(
    {
      entity: { key, component, name: key },
      group: 'cpu',
      isControl: component === 'button',
      hasAttributes: false,
      hasState: true,
    },
    topics,
    'id',
    'Machine',
  );

function setUp(style: 'device' | 'entity' | 'off', earlier?: Announced) {
  let stored: Announced = earlier ?? { id: 'id', style: null, root: 'hostler', groups: {} };
  const announcer = createAnnouncer({
    topics,
    style,
    frame,
    earlier: stored,
    save(next) {
      stored = next;
    },
  });
  return { announcer, stored: () => stored };
}

const body = (payload: unknown) => JSON.parse(String(payload));

describe('announcing entities', () => {
  test('one message has everything that Home Assistant requires', () => {
    const { announcer } = setUp('device');
    announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    const [message, ...more] = announcer.messages();
    expect(more).toEqual([]);
    expect(message).toMatchObject({ topic: 'homeassistant/device/hostler_id/config', retain: true, qos: 1 });
    expect(discoveryProblems(body(message?.payload))).toEqual([]);
  });

  test('removed entities are withdrawn once after a restart; those of modules without a reading stay', () => {
    const first = setUp('device');
    first.announcer.set('cpu', { cpu_usage: config('cpu_usage'), cpu_power: config('cpu_power') });
    first.announcer.set('battery', { battery: config('battery') });
    first.announcer.messages();
    const second = setUp('device', first.stored());
    second.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    const [withdrawing, staying] = second.announcer.messages().map(({ payload }) => body(payload).components);
    expect(withdrawing.cpu_power).toEqual({ platform: 'sensor' });
    expect(Object.keys(staying).sort()).toEqual(['battery', 'cpu_usage']);
    expect(second.announcer.messages().length).toBe(1);
  });

  test('an unplugged disk stays until the next start', () => {
    const { announcer } = setUp('device');
    announcer.set('disks', { disk_a: config('disk_a'), disk_b: config('disk_b') });
    announcer.messages();
    expect(announcer.set('disks', { disk_a: config('disk_a') })).toBe(false);
    announcer.begin();
    expect(announcer.set('disks', { disk_a: config('disk_a') })).toBe(true);
  });

  test('what the settings removed is withdrawn at once', () => {
    for (const style of ['device', 'entity'] as const) {
      const { announcer } = setUp(style);
      announcer.set('custom', { custom_a: config('custom_a'), custom_b: config('custom_b') });
      announcer.messages();
      expect(announcer.set('custom', { custom_a: config('custom_a') }, () => false)).toBe(true);
      const [withdrawing] = announcer.messages();
      if (style === 'device') expect(body(withdrawing?.payload).components.custom_b).toEqual({ platform: 'sensor' });
      else expect(withdrawing).toMatchObject({ topic: topics.entityConfig('sensor', 'custom_b'), payload: '' });
      expect(announcer.count()).toBe(1);
    }
  });

  test.each([
    ['device', 'entity'],
    ['entity', 'device'],
  ] as const)(
    'from %s to %s the old topics migrate and are emptied before the new announcements; interrupted, it begins again',
    (before, after) => {
      const first = setUp(before);
      first.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
      const [old] = first.announcer.messages();
      const interrupted = setUp(after, first.stored());
      const migration = [{ topic: old?.topic, payload: '{"migrate_discovery":true}', retain: false }];
      expect(interrupted.announcer.migration()).toMatchObject(migration);
      const second = setUp(after, interrupted.stored());
      expect(second.announcer.migration()).toMatchObject(migration);
      const messages = second.announcer.messages();
      expect(messages[0]).toMatchObject({ topic: old?.topic, payload: '', retain: true });
      expect(JSON.stringify(messages[1])).toContain('hostler_id_cpu_usage');
      expect(messages.length).toBe(2);
      expect([second.announcer.migration(), second.announcer.messages().length]).toEqual([[], 1]);
    },
  );

  test('turning it off withdraws everything; an unreadable state file is ignored', () => {
    const first = setUp('device');
    first.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    first.announcer.messages();
    const second = setUp('off', first.stored());
    expect(second.announcer.migration()).toEqual([]);
    expect(second.announcer.messages()).toMatchObject([{ topic: topics.config, payload: '' }]);
    expect(second.stored()).toMatchObject({ style: null, groups: {} });
  });
});
