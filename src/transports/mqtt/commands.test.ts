import { describe, expect, test } from 'bun:test';
import type { MqttDelivery, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { createCommandHandler } from './commands.ts';
import { createRequestHandler } from './requests.ts';
import { createLogOnce, createSleepGuard } from './session.ts';
import { topicsOf } from './topics.ts';

// Only its names are used.
const action = { name: 'power.lock', wire: { event: 'POWER_LOCK', reply: 'POWER_LOCKING' } } as ActionDefinition;

const delivery = (topic: string, payload: string, given: Partial<MqttDelivery> = {}): MqttDelivery => ({
  topic,
  payload: new TextEncoder().encode(payload),
  retain: false,
  duplicate: false,
  packetId: 7,
  expiresAfter: null,
  responseTopic: null,
  correlation: null,
  ...given,
});

function setUp(root = 'hostler') {
  const topics = topicsOf(root, 'id');
  const clock = fakeClock();
  const sleep = createSleepGuard(clock);
  const done: unknown[] = [];
  const logged: string[] = [];
  const published: MqttMessage[] = [];
  const complain = createLogOnce(clock, (sentence) => void logged.push(sentence));
  let data: unknown = { at: 'now' };
  const answerWith = (next: unknown) => {
    data = next;
  };
  const runner = {
    async perform(_action: ActionDefinition, input: unknown) {
      done.push(input);
      return { message: 'Locked', data };
    },
    stop: () => {},
  };
  const isFresh = () => !sleep.hasSlept();
  const control = {
    key: 'power_lock',
    component: 'button' as const,
    name: 'Lock',
    toInput: (sent: string) => (sent === 'PRESS' ? {} : null),
  };
  const command = createCommandHandler({
    topics,
    runner,
    offered: (key) => (key === 'power_lock' ? { action, control } : null),
    choice: (_control, sent) => sent,
    isFresh,
    complain,
  });
  const request = createRequestHandler({
    clock,
    topics,
    actions: [action],
    runner,
    isFresh,
    publish: (message) => void published.push(message),
    complain,
  });
  return { clock, sleep, done, logged, published, command, request, answerWith };
}

const press = (given: Partial<MqttDelivery> = {}) => delivery('hostler/id/command/power_lock', 'PRESS', given);

describe('a command over MQTT', () => {
  test('runs once for each time it is sent', async () => {
    const { command, done, logged } = setUp();
    await command(press());
    await command(press({ packetId: 8 }));
    // Packet ids are reused.
    await command(press({ packetId: 7 }));
    expect([done.length, logged]).toEqual([3, []]);
  });

  test.each([
    ['retained', press({ retain: true }), 'it was retained'],
    ['expired', press({ expiresAfter: 0 }), 'it has expired'],
    ['oversized', delivery('hostler/id/command/power_lock', 'x'.repeat(65_537)), 'longer than 65536 bytes'],
    ['foreign', delivery('hostler/id/command/other', 'PRESS'), 'no such control'],
    ['malformed', delivery('hostler/id/command/power_lock', 'press'), 'its value is not valid'],
    ['no text', press({ payload: new Uint8Array([0xff]) }), 'its value is not valid'],
  ])('that is %s is ignored, and logged once', async (_kind, wrong, why) => {
    const { command, done, logged } = setUp();
    await command(wrong);
    await command({ ...wrong, packetId: 99 });
    expect(done).toEqual([]);
    expect(logged).toEqual([expect.stringContaining(why)]);
  });

  test('delivered twice runs once', async () => {
    const { command, done, logged } = setUp();
    await command(press());
    await command(press({ duplicate: true }));
    expect(done.length).toBe(1);
    expect(logged).toEqual([expect.stringContaining('delivered twice')]);
  });

  test('whose first delivery was lost runs', async () => {
    const { command, done } = setUp();
    await command(press({ duplicate: true }));
    expect(done.length).toBe(1);
  });

  test('sent while the machine slept does not run until there is a new connection', async () => {
    const { clock, sleep, command, done, logged } = setUp();
    clock.set(clock.now() + 3_600_000);
    await command(press());
    await command(press({ packetId: 8 }));
    expect(done).toEqual([]);
    expect(logged).toEqual([expect.stringContaining('the machine slept')]);
    sleep.begin();
    await command(press({ packetId: 9 }));
    expect(done.length).toBe(1);
  });

  test('that is invalid does not fill the log, however often it is sent', async () => {
    const { command, logged } = setUp();
    for (let at = 0; at < 1000; at++) await command(delivery(`hostler/id/command/${at}`, 'PRESS'));
    expect(logged.length).toBe(51);
  });
});

describe('a request over MQTT', () => {
  const asked = '{"event":"POWER_LOCK","data":{"delay":5}}';
  const with_ = (given: Partial<MqttDelivery>) => delivery('hostler/id/request', asked, given);
  const correlation = new Uint8Array([1, 2]);

  test('is answered on its response topic with its correlation data; a repetition gets the same reply without a second run', async () => {
    const { request, done, published } = setUp();
    await request(with_({ responseTopic: 'mine/answers', correlation }));
    await request(with_({ responseTopic: 'mine/answers', correlation }));
    expect(done).toEqual([{ delay: 5 }]);
    expect(published.map(({ topic, correlation: back }) => [topic, back])).toEqual([
      ['mine/answers', correlation],
      ['mine/answers', correlation],
    ]);
    expect(JSON.parse(String(published[0]?.payload))).toEqual({
      type: 'POWER_LOCKING',
      subtype: 'NONE',
      data: { at: 'now' },
      message: 'Locked',
    });
  });

  test('with the correlation data of another request, but another payload, runs and gets its own reply', async () => {
    const { request, done, published, answerWith } = setUp();
    const other = (text: string) =>
      delivery('hostler/id/request', text, { responseTopic: 'mine/answers', correlation });
    const later = asked.replace('5', '6');
    await request(other(asked));
    answerWith({ at: 'later' });
    for (const text of [later, asked, later]) await request(other(text));
    expect(done).toEqual([{ delay: 5 }, { delay: 6 }]);
    expect(published.map(({ payload }) => JSON.parse(String(payload)).data.at)).toEqual([
      'now',
      'later',
      'now',
      'later',
    ]);
  });

  test.each(['hostler/other/command/power_lock', 'homeassistant/status', '$SYS/x', 'a/+', '#', ''])(
    'never makes the service publish on %p',
    async (responseTopic) => {
      const { request, done, published } = setUp();
      await request(with_({ responseTopic, correlation }));
      expect([done, published]).toEqual([[], []]);
    },
  );

  test('never makes the service publish on topics of other machines, or its own, where the first part is another', async () => {
    const { request, done, published } = setUp('home');
    for (const responseTopic of ['hostler/other/command/power_lock', 'home/other/command/power_lock'])
      await request({ ...with_({ responseTopic, correlation }), topic: 'home/id/request' });
    expect([done, published]).toEqual([[], []]);
  });

  test.each(['', '[]', 'null', '{"event":1}', '{"event":"POWER_LOCK","data":[]}', '{"event":"NOTHING"}'])(
    'that is %p gets an error message',
    async (text) => {
      const { request, done, published } = setUp();
      await request(delivery('hostler/id/request', text, { responseTopic: 'mine/answers' }));
      expect(done).toEqual([]);
      expect(JSON.parse(String(published[0]?.payload))).toMatchObject({ type: 'ERROR' });
    },
  );

  test('that was retained or has expired gets no reply', async () => {
    const { request, done, published } = setUp();
    await request(with_({ responseTopic: 'mine/answers', retain: true }));
    await request(with_({ responseTopic: 'mine/answers', expiresAfter: 0 }));
    expect([done, published]).toEqual([[], []]);
  });

  test('with too much correlation data does not run', async () => {
    const { request, done, published, logged } = setUp();
    await request(with_({ responseTopic: 'mine/answers', correlation: new Uint8Array(1025) }));
    expect([done, published]).toEqual([[], []]);
    expect(logged).toEqual([expect.stringContaining('correlation data is longer than 1024 bytes')]);
  });

  test('that is repeated does not publish its large reply without limit', async () => {
    const { clock, request, published, answerWith } = setUp();
    answerWith('x'.repeat(200_000));
    for (let n = 0; n < 1000; n++) await request(with_({ responseTopic: 'mine/answers', correlation }));
    expect(published.length).toBe(10);
    clock.advance(10_000);
    await request(with_({ responseTopic: 'mine/answers', correlation }));
    expect(published.length).toBe(11);
  });
});
