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
  let kept: Announced = earlier ?? { id: 'id', style: null, root: 'hostler', groups: {} };
  const announcer = createAnnouncer({
    topics,
    style,
    frame,
    earlier: kept,
    save(next) {
      kept = next;
    },
  });
  return { announcer, kept: () => kept };
}

const body = (payload: unknown) => JSON.parse(String(payload));

describe('announcing', () => {
  test('one message tells everything, in words that Home Assistant accepts', () => {
    const { announcer } = setUp('device');
    announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    const [message, ...more] = announcer.messages();
    expect(more).toEqual([]);
    expect(message).toMatchObject({ topic: 'homeassistant/device/hostler_id/config', retain: true, qos: 1 });
    expect(discoveryProblems(body(message?.payload))).toEqual([]);
  });

  test('what is gone after a restart is taken back once; what is not answered now stays', () => {
    const first = setUp('device');
    first.announcer.set('cpu', { cpu_usage: config('cpu_usage'), cpu_power: config('cpu_power') });
    first.announcer.set('battery', { battery: config('battery') });
    first.announcer.messages();
    const second = setUp('device', first.kept());
    second.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    const [telling, staying] = second.announcer.messages().map(({ payload }) => body(payload).components);
    expect(telling.cpu_power).toEqual({ platform: 'sensor' });
    expect(Object.keys(staying).sort()).toEqual(['battery', 'cpu_usage']);
    expect(second.announcer.messages().length).toBe(1);
  });

  test('a disk that is pulled out stays until the next beginning', () => {
    const { announcer } = setUp('device');
    announcer.set('disks', { disk_a: config('disk_a'), disk_b: config('disk_b') });
    announcer.messages();
    expect(announcer.set('disks', { disk_a: config('disk_a') })).toBe(false);
    announcer.begin();
    expect(announcer.set('disks', { disk_a: config('disk_a') })).toBe(true);
  });

  test.each([
    ['device', 'entity'],
    ['entity', 'device'],
  ] as const)('from %s to %s everything moves along: told first, then said anew, then emptied', (before, after) => {
    const first = setUp(before);
    first.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    const [old] = first.announcer.messages();
    const second = setUp(after, first.kept());
    const messages = second.announcer.messages();
    expect(messages[0]).toMatchObject({ topic: old?.topic, payload: '{"migrate_discovery":true}', retain: false });
    expect(messages.at(-1)).toMatchObject({ topic: old?.topic, payload: '', retain: true });
    expect(JSON.stringify(messages[1])).toContain('hostler_id_cpu_usage');
    expect(messages.length).toBe(3);
  });

  test('turned off, it is emptied; what cannot be read of an earlier run is nothing', () => {
    const first = setUp('device');
    first.announcer.set('cpu', { cpu_usage: config('cpu_usage') });
    first.announcer.messages();
    const second = setUp('off', first.kept());
    expect(second.announcer.messages()).toMatchObject([{ topic: topics.config, payload: '' }]);
    expect(second.kept()).toMatchObject({ style: null, groups: {} });
  });
});
