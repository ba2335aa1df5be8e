import { expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeContext, fakeHost, memoryStorage } from '../../test/doubles/fake-host.ts';
import { callerWith, fakeAgents } from '../../test/harness/agents.ts';
import { controlActions } from '../features/control/control.ts';
import { powerActions } from '../features/power/power.ts';
import type { ActionDefinition } from './action.ts';
import { createControlPause, pauseOf, refuseWhilePaused } from './control-pause.ts';

const paths = { state: '/state' } as Parameters<typeof createControlPause>[0]['paths'];

function start(storage = memoryStorage(), clock = fakeClock()) {
  const { log } = fakeContext();
  return { pause: createControlPause({ storage, paths, clock }, log), storage, clock };
}

test('a pause refuses what changes something, and allows reading and cancelling', () => {
  const { pause } = start();
  expect(pauseOf(pause, { effect: 'disrupt' })).toBeNull();
  pause.pause(null, 'phone');
  expect(() => refuseWhilePaused(pause, { effect: 'write' })).toThrow('Control is paused until it is resumed');
  expect(() => refuseWhilePaused(pause, { effect: 'disrupt' })).toThrow('paused with the token "phone"');
  expect(pauseOf(pause, { effect: 'read' })).toBeNull();
  expect(pauseOf(pause, { effect: 'write', duringPause: true })).toBeNull();
  expect(pauseOf(pause, { effect: 'read', duringPause: false })).toContain('Control is paused');
  expect(pause.resume()).toBe(true);
  expect(pause.resume()).toBe(false);
  expect(pauseOf(pause, { effect: 'disrupt' })).toBeNull();
});

test('a pause of one hour ends after an hour, without a timer', () => {
  const { pause, clock } = start();
  pause.pause(3600, 'main');
  clock.advance(3_599_000);
  expect(pause.current()).not.toBeNull();
  clock.advance(2000);
  expect(pause.current()).toBeNull();
});

test('a pause survives a restart, and a damaged file counts as one', () => {
  const { pause, storage, clock } = start();
  pause.pause(3600, 'main');
  expect(start(storage, clock).pause.current()?.by).toBe('main');
  pause.resume();
  expect(start(storage, clock).pause.current()).toBeNull();
  for (const text of ['', '{', '[]', '{"since":"x"}', '{"since":1,"until":"soon"}'])
    expect(start(memoryStorage({ '/state/control-paused.json': text }), clock).pause.current()?.until).toBeNull();
});

test('a file that cannot be read pauses control until it can, or control is resumed', () => {
  const first = start();
  first.pause.pause(3600, 'main');
  let isOpenable = false;
  const storage = {
    ...first.storage,
    read(file: string) {
      if (!isOpenable) throw new Error('EMFILE: too many open files');
      return first.storage.read(file);
    },
  };
  const { pause } = start(storage, first.clock);
  expect(() => refuseWhilePaused(pause, { effect: 'disrupt' })).toThrow('Control is paused until it is resumed');
  isOpenable = true;
  expect(pause.current()?.by).toBe('main');
  expect(pause.resume()).toBe(true);
  expect(pause.current()).toBeNull();
});

test('a full disk does not prevent a pause', () => {
  const full = {
    ...memoryStorage(),
    write() {
      throw new Error('no space left');
    },
  };
  const { pause } = start(full);
  let changes = 0;
  pause.onChange(() => {
    changes += 1;
  });
  pause.pause(null, 'main');
  expect(pause.current()).not.toBeNull();
  expect(changes).toBe(1);
});

test('a pause that cannot be saved says that it ends with the service', async () => {
  const host = fakeHost({ storage: memoryStorage(), paths: { config: '/c', state: '/s', runtime: null } });
  const { context } = fakeActionContext(host);
  const run = async () => {
    const controlPause = createControlPause(host, context.log);
    const { message, data } = await find('control.pause').run({}, { ...context, controlPause });
    expect(data).toMatchObject({ paused: true });
    expect(controlPause.current()).not.toBeNull();
    return message;
  };
  expect(await run()).not.toContain('restart');
  host.storage.write = () => {
    throw new Error('the disk with /s is full');
  };
  expect(await run()).toEndWith(
    '. It ends when Hostler stops or restarts, because it cannot be saved: the disk with /s is full',
  );
});

const all = [...controlActions, ...powerActions] as ActionDefinition[];

function find(name: string): ActionDefinition {
  const action = all.find((each) => each.name === name);
  if (action === undefined) throw new Error(`there is no ${name}`);
  return action;
}

test('the service refuses actions while it is paused, except to cancel and to resume', async () => {
  const agents = fakeAgents({ actions: all });
  const { service } = agents;
  const admin = callerWith();
  await service.perform(find('control.pause'), { seconds: 3600 }, admin);
  expect(service.paused(find('power.lock'))).toContain('Control is paused until');
  await expect(service.perform(find('power.lock'), {}, admin)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Control is paused until'),
  });
  // Nothing is scheduled, so the action refuses this, not the pause.
  await expect(service.perform(find('power.cancel'), {}, admin)).rejects.toThrow('nothing to cancel');
  const { data } = await service.perform(find('control.get'), {}, callerWith(['read']));
  expect(data).toMatchObject({ paused: true, by: 'token one' });
  await expect(service.perform(find('control.resume'), {}, callerWith(['read']))).rejects.toMatchObject({
    code: 'forbidden',
  });
  await service.perform(find('control.resume'), {}, admin);
  expect(service.paused(find('power.lock'))).toBeNull();
  await agents.close();
});

test('an action that was in progress when control was paused has no effect', async () => {
  const agents = fakeAgents({ actions: all });
  const { service } = agents;
  const body = Promise.withResolvers<object>();
  const late = service.perform(find('power.lock'), () => body.promise, callerWith());
  await service.perform(find('control.pause'), {}, callerWith());
  body.resolve({});
  await expect(late).rejects.toThrow('Control is paused');
  await agents.close();
});
