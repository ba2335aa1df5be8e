import { describe, expect, test } from 'bun:test';
import { BusError } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeHost, noBus } from '../../../test/doubles/fake-host.ts';
import { type FakeSystemd, fakeSystemd } from '../../../test/doubles/fake-systemd.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { perform } from '../../../test/harness/perform.ts';
import { asTimePasses } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import { setPart } from '../../core/part.ts';
import { defaultSettings } from '../index.ts';
import { type JournalReply, type JournalRequest, journal } from './linux/journal.ts';
import { serviceActions } from './services.actions.ts';

const action = (verb: string) => {
  const found = serviceActions.find(({ name }) => name === `service.${verb}`);
  if (found === undefined) throw new Error(`there is no service.${verb}`);
  return found;
};

/** Accepts jobs and ends each with this result. */
function obedient(system: FakeSystemd, result = 'done', after: { active: string; sub: string } | null = null) {
  const run = (active: string, sub: string) => (call: { body?: unknown[] }) => {
    const unit = String(call.body?.[0]);
    const known = system.units.get(unit);
    if (known !== undefined) Object.assign(known, after ?? { active, sub });
    // systemd may send the signal before the reply.
    system.emit('JobRemoved', [7, '/job/7', unit, result]);
    return ['/job/7'];
  };
  system.answers = {
    LoadUnit: ({ body = [] }) => {
      const name = String(body[0]);
      if (!system.units.has(name)) system.units.set(name, nowhere);
      return [system.pathOf(name)];
    },
    StartUnit: run('active', 'running'),
    RestartUnit: run('active', 'running'),
    StopUnit: run('inactive', 'dead'),
    EnableUnitFiles: () => [true, [['symlink', 'a', 'b']]],
    DisableUnitFiles: () => [[]],
    Reload: () => [],
    GetUnitFileState: () => [system.count('DisableUnitFiles') > 0 ? 'disabled' : 'enabled'],
  };
  return system;
}

const nowhere = { description: '', load: 'not-found', active: 'inactive', sub: 'dead', properties: {} };
const orders = ['StartUnit', 'StopUnit', 'RestartUnit', 'EnableUnitFiles', 'DisableUnitFiles', 'Reload'];
const wasOrdered = (system: FakeSystemd) => orders.filter((member) => system.count(member) > 0);

function machine(system: FakeSystemd, allowlist: string[], given: Partial<ActionContext> = {}) {
  const host = fakeHost({
    dbus: { system, session: noBus },
    files: machineFiles({ '/run/systemd/system/.keep': '' }),
  });
  const settings = () => ({ ...defaultSettings, services: { allowlist } });
  const { context } = fakeActionContext(host, { settings, ...given });
  const order = (verb: string, input: unknown) => asTimePasses(perform(action(verb), input, context), host.clock);
  return { order, context };
}

describe('a unit on the allowlist', () => {
  const units = { 'web.service': { active: 'inactive', sub: 'dead', properties: { Result: 'success' } } };

  test.each([
    ['start', 'active', 'running'],
    ['stop', 'inactive', 'dead'],
    ['restart', 'active', 'running'],
  ])('accepts %s and reports its state afterwards', async (verb, active_state, sub_state) => {
    const system = obedient(fakeSystemd(units));
    const answer = await machine(system, ['web.service']).order(verb, { unit: 'web.service' });
    expect(answer).toMatchObject({ unit: 'web.service', action: verb, active_state, sub_state, done: true });
    expect(system.subscriptions()).toBe(0);
  });

  test.each([
    ['enable', 'EnableUnitFiles', 'enabled'],
    ['disable', 'DisableUnitFiles', 'disabled'],
  ])('is %sd, and systemd reloads', async (verb, member, enabled) => {
    const system = obedient(fakeSystemd(units));
    expect(await machine(system, ['web.service']).order(verb, { unit: 'web.service' })).toMatchObject({ enabled });
    expect(wasOrdered(system)).toEqual([member, 'Reload']);
  });

  test('of the user is controlled through the user manager', async () => {
    const session = obedient(fakeSystemd(units));
    const host = fakeHost({
      dbus: { system: noBus, session },
      files: machineFiles({ '/run/systemd/system/.keep': '' }),
    });
    const settings = () => ({ ...defaultSettings, services: { allowlist: ['user:web.service'] } });
    const { context } = fakeActionContext(host, { settings });
    expect(await perform(action('stop'), { unit: 'user:web.service' }, context)).toMatchObject({ done: true });
    await expect(perform(action('stop'), { unit: 'web.service' }, context)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test.each([
    ['failed', 'could not be started: failed (exit-code)'],
    ['timeout', 'could not be started: timeout'],
    ['dependency', 'a unit that it needs failed'],
    ['canceled', 'was replaced by another one'],
    ['skipped', 'a condition in its file does not hold'],
  ])('whose job ends with %s is an error with an explanation', async (result, sentence) => {
    const failing = { 'web.service': { properties: { Result: 'exit-code' } } };
    const system = obedient(fakeSystemd(failing), result);
    await expect(machine(system, ['web.service']).order('start', { unit: 'web.service' })).rejects.toThrow(sentence);
  });

  test('that fails right after its start is an error', async () => {
    const failing = { 'web.service': { properties: { Result: 'exit-code' } } };
    const system = obedient(fakeSystemd(failing), 'done', { active: 'failed', sub: 'failed' });
    await expect(machine(system, ['web.service']).order('start', { unit: 'web.service' })).rejects.toThrow(
      'was started and failed right away (exit-code)',
    );
  });

  test('that starts slowly is reported as still starting', async () => {
    const system = obedient(fakeSystemd(units));
    system.answers.StartUnit = () => ['/job/9'];
    expect(await machine(system, ['web.service']).order('start', { unit: 'web.service' })).toMatchObject({
      done: false,
    });
  });

  test('without a section [Install] cannot be enabled', async () => {
    const system = obedient(fakeSystemd(units));
    system.answers.EnableUnitFiles = () => [false, []];
    await expect(machine(system, ['web.service']).order('enable', { unit: 'web.service' })).rejects.toThrow(
      'has no section [Install]',
    );
  });
});

describe('a request is refused without calling systemd:', () => {
  const units = { 'web.service': {}, 'getty@tty1.service': {}, 'getty@tty2.service': {}, 'ssh.service': {} };
  const allowlist = ['web.service', 'gone.service', 'getty@tty1.service', 'systemd-timesyncd.service'];

  test.each([
    ['ssh.service', 'forbidden'],
    ['WEB.service', 'forbidden'],
    ['user:web.service', 'forbidden'],
    ['web.service ', 'invalid'],
    ['web', 'invalid'],
    ['', 'invalid'],
    ['../web.service', 'invalid'],
    ['/etc/systemd/system/web.service', 'invalid'],
    ['getty@.service', 'invalid'],
    ['getty@tty2.service', 'forbidden'],
    ['getty@tty1', 'invalid'],
    ['getty.service', 'forbidden'],
    ['web@x.service', 'forbidden'],
    ['web.socket', 'forbidden'],
    // Aliases that systemd would resolve to a listed unit.
    ['dbus-org.freedesktop.timesync1.service', 'forbidden'],
    ['web\\x2eservice.service', 'forbidden'],
    ['*.service', 'invalid'],
    ['web.service\n', 'invalid'],
    ['web\u202e.service', 'invalid'],
    ['poweroff.target', 'invalid'],
    [`${'a'.repeat(10_000)}.service`, 'invalid'],
    [7, 'invalid'],
    [null, 'invalid'],
    [['web.service'], 'invalid'],
    ['gone.service', 'not_found'],
  ])('%j: %s', async (unit, code) => {
    for (const verb of ['start', 'stop', 'restart', 'enable', 'disable']) {
      const system = obedient(fakeSystemd(units));
      const refused = machine(system, allowlist).order(verb, { unit });
      await expect(refused).rejects.toMatchObject({ code });
      await refused.catch(({ message }) => expect(message.length).toBeLessThan(500));
      expect(wasOrdered(system)).toEqual([]);
    }
  });

  test('an input field that is not in the schema', async () => {
    const system = obedient(fakeSystemd(units));
    const input = { unit: 'web.service', mode: 'isolate' };
    await expect(machine(system, allowlist).order('start', input)).rejects.toMatchObject({ code: 'invalid' });
    expect(system.calls).toEqual([]);
  });

  test('a masked unit', async () => {
    const system = obedient(fakeSystemd({ 'web.service': { load: 'masked', active: 'inactive' } }));
    await expect(machine(system, allowlist).order('start', { unit: 'web.service' })).rejects.toThrow('is masked');
    expect(wasOrdered(system)).toEqual([]);
  });

  test.each([
    ['start', 'action.lookup("unit") == "web.service" && action.lookup("verb") == "start"'],
    ['enable', 'This cannot be allowed for a single unit'],
  ])('by polkit: %s explains how to allow it', async (verb, sentence) => {
    const system = obedient(fakeSystemd(units));
    const deny = () => {
      throw new BusError('org.freedesktop.DBus.Error.InteractiveAuthorizationRequired', 'Interactive …');
    };
    system.answers.StartUnit = deny;
    system.answers.EnableUnitFiles = deny;
    const refused = machine(system, allowlist).order(verb, { unit: 'web.service' });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
    await expect(refused).rejects.toThrow(sentence);
  });

  test('on a machine without systemd', async () => {
    const host = fakeHost({ dbus: { system: noBus, session: noBus }, files: machineFiles({}) });
    const settings = () => ({ ...defaultSettings, services: { allowlist } });
    const { context } = fakeActionContext(host, { settings });
    await expect(perform(action('start'), { unit: 'web.service' }, context)).rejects.toMatchObject({
      code: 'unsupported',
    });
    expect(await action('start').unavailable(context)).toContain('systemd does not manage this machine');
  });
});

test('with an empty allowlist the action is unavailable and says so', async () => {
  const { context } = machine(fakeSystemd(), []);
  expect(await action('start').unavailable(context)).toContain('services.allowlist');
});

describe('the log of a unit', () => {
  const requests: JournalRequest[] = [];
  const reading = (answer: JournalReply) => {
    const host = fakeHost({
      dbus: { system: noBus, session: noBus },
      files: machineFiles({ '/run/systemd/system/.keep': '' }),
    });
    setPart(host, journal, async (request) => {
      requests.push(request);
      return answer;
    });
    const payload = { units: [{ name: 'web.service', scope: 'system' }] };
    const read = async () => ({ payload }) as never;
    const { context } = fakeActionContext(host, { read });
    return (input: unknown) => perform(action('logs'), input, context);
  };
  const lines = [{ at: 1, priority: 6, text: 'hello\u001b[31m' }];

  test('contains its last lines unchanged', async () => {
    expect(await reading({ lines, truncated: false, readable: true })({ unit: 'web.service', lines: 3 })).toEqual({
      unit: 'web.service',
      lines,
      truncated: false,
      reason: null,
    });
    expect(requests.at(-1)).toEqual({ unit: 'web.service', scope: 'system', uid: null, lines: 3 });
  });

  test('is read one at a time: requests wait, and a token has four at most', async () => {
    const host = fakeHost({
      dbus: { system: noBus, session: noBus },
      files: machineFiles({ '/run/systemd/system/.keep': '' }),
    });
    let readers = 0;
    setPart(host, journal, async () => {
      readers += 1;
      expect(readers).toBe(1);
      await Bun.sleep(0);
      readers -= 1;
      return { lines, truncated: false, readable: true };
    });
    const read = async () => ({ payload: { units: [{ name: 'web.service', scope: 'system' }] } }) as never;
    const { context } = fakeActionContext(host, { read });
    const query = (tokenId: string, count: number) =>
      perform(
        action('logs'),
        { unit: 'web.service', lines: count },
        { ...context, caller: { ...context.caller, tokenId } },
      );
    const outcomes = await Promise.allSettled([
      ...[1, 2, 3, 4, 5].map((count) => query('one', count)),
      query('two', 6),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'fulfilled']);
    expect(outcomes[4]).toMatchObject({ reason: { code: 'rate_limited' } });
  });

  test('says why lines may be missing', async () => {
    const answer = await reading({ lines: [], truncated: false, readable: false })({ unit: 'web.service' });
    expect(answer).toMatchObject({ reason: expect.stringContaining('systemd-journal') });
    const none = reading({ problem: 'no-journal', detail: '' })({ unit: 'web.service' });
    await expect(none).rejects.toThrow('keeps no journal');
  });

  test.each([
    [{ unit: 'other.service' }, 'not_found'],
    [{ unit: 'user:web.service' }, 'not_found'],
    [{ unit: '../web.service' }, 'not_found'],
    [{ unit: 'a'.repeat(10_000) }, 'invalid'],
    [{ unit: 'web.service', lines: 501 }, 'invalid'],
    [{ unit: 'web.service', lines: 0 }, 'invalid'],
  ])('%j: %s, and the journal is not read', async (input, code) => {
    const before = requests.length;
    await expect(reading({ lines, truncated: false, readable: true })(input)).rejects.toMatchObject({ code });
    expect(requests).toHaveLength(before);
  });
});
