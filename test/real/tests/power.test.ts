import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { type BoxedService, built, builtInside, startBoxed, succeed } from '../harness/boxed-service.ts';
import { type BoxedSession, furnishSession, sessionPrograms, startSession } from '../harness/boxed-session.ts';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

setDefaultTimeout(120_000);

const profileDaemon = '/usr/libexec/power-profiles-daemon';
const binds: [string, string][] = [[built, builtInside]];

const inhibitorsIn = async (box: PrivateBox) =>
  (await box.run(['systemd-inhibit', '--list', '--no-legend', '--no-pager'])).stdout;

/** The state was written, and the machine is awake again: an earlier action would be refused. */
async function sleptIn(box: PrivateBox, word: string): Promise<void> {
  await until(() => (box.powerState() === word ? true : null));
  const logind = ['org.freedesktop.login1', '/org/freedesktop/login1', 'org.freedesktop.login1.Manager'];
  const asleep = ['busctl', 'get-property', ...logind, 'PreparingForSleep'];
  await until(async () => ((await box.run(asleep)).stdout.trim() === 'b false' ? true : null));
}

/** A program that holds an inhibitor until the returned function is called. */
async function inhibitIn(box: PrivateBox, what: string, mode: string): Promise<() => Promise<void>> {
  const args = [`--what=${what}`, '--who=Backup', '--why=copying files', `--mode=${mode}`, 'sleep', '600'];
  const unit = `inhibit-${what}-${mode}`;
  await succeed(box, ['systemd-run', '--quiet', `--unit=${unit}`, 'systemd-inhibit', ...args]);
  await until(async () => ((await inhibitorsIn(box)).includes('Backup') ? true : null));
  return async () => {
    await succeed(box, ['systemctl', 'stop', unit]);
    await until(async () => ((await inhibitorsIn(box)).includes('Backup') ? null : true));
  };
}

describe.skipIf(!canBoot(built, 'systemd-inhibit', 'dbus-monitor', profileDaemon, ...sessionPrograms))(
  'power in a booted system, as root',
  () => {
    let box: PrivateBox;
    let hostler: BoxedService;

    beforeAll(async () => {
      box = await bootBox({ binds, prepare: furnishSession });
      hostler = await startBoxed(box);
    });
    afterAll(async () => {
      hostler?.close();
      await box?.remove();
    });

    const order = (verb: string, body?: unknown) => hostler.post(`/api/power/${verb}`, body);
    const asleep = (word: string) => sleptIn(box, word);
    const inhibitors = () => inhibitorsIn(box);

    test('keeps the machine awake: shown by logind, refuses sleep, ends with its token and with the service', async () => {
      const held = async () => (await inhibitors()).split('\n').filter((line) => line.includes('copying photos'));
      const first = await order('inhibit', { reason: 'copying photos', seconds: 600 });
      expect([first.status, first.body.data]).toMatchObject([200, { blocks: ['sleep', 'idle'] }]);
      expect(await held()).toEqual([expect.stringContaining('sleep:idle')]);
      const refused = await order('sleep');
      expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('copying photos')]);
      expect((await hostler.command('status')).stdout).toContain('copying photos');
      await order('uninhibit', { id: (first.body.data as { id?: string } | undefined)?.id });
      expect(await held()).toEqual([]);

      const { stdout } = await hostler.command('token', 'create', '--name', 'waker', '--scope', 'control');
      const token = { 'X-API-Token': stdout.trim().split('\n').at(-1) ?? '' };
      await hostler.post('/api/power/inhibit', { reason: 'copying photos' }, token);
      expect(await held()).toHaveLength(1);
      await hostler.command('token', 'revoke', 'waker');
      await until(async () => ((await held()).length === 0 ? true : null));
    });

    test('the power profile of the real power-profiles-daemon is read and set', async () => {
      await succeed(box, ['systemctl', 'start', 'power-profiles-daemon']);
      const session = async () => JSON.parse((await hostler.command('data', 'session', '--json')).stdout);
      expect(await session()).toMatchObject({
        power_profile: 'balanced',
        power_profiles: expect.arrayContaining(['power-saver', 'balanced']),
      });
      const set = await order('profile', { profile: 'power-saver' });
      expect([set.status, set.body.data]).toMatchObject([200, { profile: 'power-saver' }]);
      const profiles = ['net.hadess.PowerProfiles', '/net/hadess/PowerProfiles', 'net.hadess.PowerProfiles'];
      expect(await succeed(box, ['busctl', 'get-property', ...profiles, 'ActiveProfile'])).toContain('power-saver');
      const wrong = await order('profile', { profile: 'warp' });
      expect([wrong.status, wrong.body.error]).toEqual([400, expect.stringContaining('power-saver')]);
    });

    test('without a token, or without its scope, nothing happens', async () => {
      expect((await hostler.post('/api/power/shutdown', undefined, {})).status).toBe(401);
      expect((await hostler.post('/api/power/shutdown', undefined, { 'X-API-Token': 'wrong' })).status).toBe(401);
      const { stdout } = await hostler.command('token', 'create', '--name', 'reader', '--scope', 'read,control');
      const weak = { 'X-API-Token': stdout.trim().split('\n').at(-1) ?? '' };
      const refused = await hostler.post('/api/power/shutdown', undefined, weak);
      expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('"power"')]);
      expect(box.exitCode()).toBeNull();
    });

    test('sleep really sleeps, listeners are notified, and get everything again after it', async () => {
      box.resetPowerState();
      // All pushes below are caused by the sleep.
      await hostler.command('settings', 'set', 'modules.system.interval', '3600000');
      const received = '/run/received';
      await succeed(box, [
        'systemd-run',
        '--quiet',
        '--unit=monitor',
        `--property=StandardOutput=file:${received}`,
        'dbus-monitor',
        '--system',
        "type='signal',member='PrepareForSleep'",
      ]);
      const seen = () => (fs.existsSync(box.path(received)) ? fs.readFileSync(box.path(received), 'utf8') : '');
      await until(() => (seen().includes('member=Name') ? true : null));
      const client = await connectSocket(hostler);
      await client.ask('REGISTER_DATA_LISTENER', { modules: ['system'] });
      await until(async () => ((await inhibitors()).includes('Hostler') ? true : null));
      const reply = await client.ask('POWER_SLEEP');
      expect(reply).toMatchObject({ type: 'POWER_SLEEPING', subtype: 'NONE', data: { action: 'sleep' } });
      await asleep('mem');
      await until(() => (/boolean true[\s\S]*boolean false/.test(seen()) ? true : null));
      await until(() => (hostler.log().includes('awake again') ? true : null));
      const updates = () => client.messages.filter(({ module }) => module === 'system');
      await until(() =>
        client.messages.indexOf(updates().at(-1) ?? reply) > client.messages.indexOf(reply) ? true : null,
      );
      const [{ data } = reply] = updates().slice(-1);
      const uptime = Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
      expect(Math.abs((data as { uptime: number }).uptime - uptime)).toBeLessThan(60);
      await until(async () => ((await inhibitors()).includes('Hostler') ? true : null));
      client.end();
      // All clients are gone: an idle service holds no inhibitor.
      await until(async () => ((await inhibitors()).includes('Hostler') ? null : true));
      await succeed(box, ['systemctl', 'stop', 'monitor']);
    });

    test('hibernate writes the other state', async () => {
      box.resetPowerState();
      const { status, body } = await order('hibernate');
      expect([status, body.data?.action]).toEqual([200, 'hibernate']);
      await asleep('disk');
    });

    test('a blocking inhibitor is named, and can be overridden; one that blocks something else is ignored', async () => {
      box.resetPowerState();
      const release = await inhibitIn(box, 'sleep', 'block');
      const refused = await order('sleep');
      expect(refused.status).toBe(409);
      expect(refused.body.error).toContain('Backup (copying files; process ');
      expect(box.powerState()).toContain('freeze');
      expect((await order('shutdown', { delay: 600 })).status).toBe(200);
      expect((await order('cancel')).status).toBe(200);
      expect((await order('sleep', { force: true })).status).toBe(200);
      await asleep('mem');
      await release();
    });

    test('a delaying inhibitor is ignored', async () => {
      box.resetPowerState();
      const release = await inhibitIn(box, 'sleep', 'delay');
      expect((await order('sleep')).status).toBe(200);
      await asleep('mem');
      await release();
    });

    test('one action can be scheduled and cancelled, also by the commands of the machine', async () => {
      box.resetPowerState();
      const asked = Date.now();
      const waiting = await order('shutdown', { delay: 600 });
      expect([waiting.status, waiting.body.data?.action]).toEqual([200, 'shutdown']);
      expect(Math.abs(Date.parse(waiting.body.data?.at ?? '') - asked - 600_000)).toBeLessThan(60_000);
      const second = await order('restart', { delay: 60 });
      expect([second.status, second.body.error]).toEqual([409, expect.stringContaining('power.shutdown is scheduled')]);
      expect((await hostler.command('power', 'restart')).stderr).toContain('power.shutdown is scheduled');
      const cancelled = await hostler.command('power', 'cancel');
      expect([cancelled.code, cancelled.stdout]).toEqual([0, 'power.shutdown was cancelled\n']);
      expect((await order('cancel')).status).toBe(409);
      expect((await order('sleep', { delay: 0.5 })).status).toBe(200);
      await asleep('mem');
      const { stdout } = await hostler.command('power', 'log', '--json');
      const lines: { verb: string; token: string; address: string; outcome: string }[] = JSON.parse(stdout);
      const of = (verb: string, outcome: string) =>
        lines.findLast((line) => line.verb === verb && line.outcome.startsWith(outcome));
      expect(of('shutdown', 'cancelled')).toMatchObject({ token: 'command line', address: '127.0.0.1' });
      expect(lines.filter(({ verb }) => verb === 'restart')).toMatchObject([
        {
          token: 'main',
          address: '127.0.0.1',
          outcome: expect.stringContaining('refused: power.shutdown is scheduled'),
        },
        { token: 'command line' },
      ]);
      await until(() => (/INFO {2}power: sleep by main from 127\.0\.0\.1: done/.test(hostler.log()) ? true : null));
    });

    test('a restart of the service drops a scheduled action, and reports that', async () => {
      expect((await order('shutdown', { delay: 3600 })).status).toBe(200);
      await hostler.restart();
      expect(hostler.log()).toContain('power: the pending shutdown was dropped: the service was restarted');
      expect((await order('cancel')).status).toBe(409);
      expect((await hostler.command('power', 'log')).stdout).toContain('dropped: the service was restarted');
    });

    test('the session at the screen is locked and ended, by the commands as well', async () => {
      const bob = await startSession(box, 'bob');
      const locked = await hostler.command('power', 'lock');
      expect([locked.code, locked.stdout]).toEqual([0, 'The session of bob is locked\n']);
      await until(() => (bob.locks() === 1 ? true : null));
      const { status, body } = await order('logout');
      expect([status, body.message]).toEqual([200, 'bob is being logged out']);
      await until(async () => ((await bob.processes()).length === 0 ? true : null));
    });

    test('the inhibitor of the service is taken again after the bus was restarted', async () => {
      const client = await connectSocket(hostler);
      await client.ask('REGISTER_DATA_LISTENER', { modules: ['system'] });
      await until(async () => ((await inhibitors()).includes('Hostler') ? true : null));
      await succeed(box, ['systemctl', 'restart', 'dbus']);
      await succeed(box, ['systemctl', 'restart', 'systemd-logind']);
      box.resetPowerState();
      await until(async () =>
        (await box.run(['systemd-inhibit', '--list'])).stdout.includes('Hostler') ? true : null,
      );
      await until(async () => ((await order('sleep')).status === 200 ? true : null));
      await asleep('mem');
      client.end();
    });

    test('shutdown replies, sends listeners a last update, and then the machine is off', async () => {
      await hostler.command('settings', 'set', 'modules.cpu.interval', '3600000');
      const client = await connectSocket(hostler);
      await client.ask('REGISTER_DATA_LISTENER', { modules: ['cpu'] });
      await client.until(({ module }) => module === 'cpu', 'the first update');
      const { status, body } = await order('shutdown');
      expect([status, body.status, body.message]).toEqual([200, 'success', 'The machine is shutting down']);
      expect(await until(() => (box.exitCode() === null ? null : { code: box.exitCode() }))).toEqual({ code: 0 });
      await until(() => (client.messages.filter(({ module }) => module === 'cpu').length > 1 ? true : null));
      client.end();
    });
  },
);

describe.skipIf(!canBoot(built))('power in a booted system that can do less', () => {
  let box: PrivateBox;
  let hostler: BoxedService;

  beforeAll(async () => {
    box = await bootBox({ binds, canSleep: false, canHibernate: false });
    hostler = await startBoxed(box);
  });
  afterAll(async () => {
    hostler?.close();
    await box?.remove();
  });

  test('what the machine cannot do is unsupported', async () => {
    for (const verb of ['sleep', 'hibernate']) {
      const { status, body } = await hostler.post(`/api/power/${verb}`);
      expect([status, body.error]).toEqual([501, expect.stringContaining(`This machine cannot ${verb}`)]);
    }
    const { stdout } = await hostler.command('doctor', '--all');
    expect(stdout).toMatch(/✗ power\.hibernate\n +This machine cannot hibernate/);
    expect(stdout).toMatch(/✓ [^✗]*power\.restart/);
  });

  test('without a login there is no session to lock or to end', async () => {
    for (const verb of ['lock', 'logout']) {
      const { status, body } = await hostler.post(`/api/power/${verb}`);
      expect([status, body.error]).toEqual([409, expect.stringContaining('no user is logged in')]);
    }
  });

  test('restart replies, and then the machine restarts', async () => {
    const { status, body } = await hostler.post('/api/power/restart', { delay: 0.2 });
    expect([status, body.data?.action]).toEqual([200, 'restart']);
    expect(await until(() => (box.exitCode() === null ? null : { code: box.exitCode() }))).toEqual({ code: 133 });
  });
});

describe.skipIf(!canBoot(built, ...sessionPrograms))('power for a user in a real session', () => {
  let box: PrivateBox;
  let alice: BoxedSession;
  let hostler: BoxedService;

  beforeAll(async () => {
    box = await bootBox({ binds, prepare: furnishSession });
    alice = await startSession(box);
    hostler = await startBoxed(box, alice);
  });
  afterAll(async () => {
    hostler?.close();
    await box?.remove();
  });

  const order = (verb: string, body?: unknown) => hostler.post(`/api/power/${verb}`, body);
  const displayed = async () => Number(await alice.run(['dunstctl', 'count', 'displayed']));

  test('an action that policy forbids is refused with the missing rule, and the rule allows it', async () => {
    const refused = await order('sleep');
    expect(refused.status).toBe(403);
    expect(refused.body.error).toContain('from the user alice for org.freedesktop.login1.suspend');
    expect(box.powerState()).toContain('freeze');
    const [, rule = ''] = /allows it: (polkit\.addRule.*)$/.exec(refused.body.error ?? '') ?? [];
    const file = '/etc/polkit-1/rules.d/50-hostler.rules';
    fs.writeFileSync(box.path(file), `${rule}\n`);
    await succeed(box, ['chmod', '644', file]);
    await until(async () => ((await order('sleep')).status === 200 ? true : null));
    await sleptIn(box, 'mem');
  });

  test('a user who may sleep may not override a program that blocks it', async () => {
    const release = await inhibitIn(box, 'sleep', 'block');
    expect((await order('sleep')).status).toBe(409);
    const forced = await order('sleep', { force: true });
    expect(forced.status).toBe(403);
    expect(forced.body.error).toContain('org.freedesktop.login1.suspend-ignore-inhibit');
    await release();
  });

  test('lock runs the locker of the session, and is confirmed', async () => {
    // The locker may still be starting.
    await until(async () => ((await order('lock')).body.message === 'The session of alice is locked' ? true : null));
    await until(() => (alice.locks() === 1 ? true : null));
    await alice.unlock();
  });

  test('a service outside of every session finds that of its user', async () => {
    await hostler.stop();
    hostler = await startBoxed(box, alice, { outside: true });
    const { status, body } = await order('lock');
    expect([status, body.message]).toEqual([200, 'The session of alice is locked']);
    await until(() => (alice.locks() === 2 ? true : null));
    await alice.unlock();
    await hostler.stop();
    hostler = await startBoxed(box, alice);
  });

  test('a scheduled action is shown, and can be cancelled there', async () => {
    expect((await order('logout', { delay: 600 })).status).toBe(200);
    await until(async () => ((await displayed()) === 1 ? true : null));
    await alice.run(['dunstctl', 'action', '0']);
    await until(async () => ((await hostler.command('power', 'log')).stdout.includes('the screen') ? true : null));
    await until(async () => ((await displayed()) === 0 ? true : null));
    expect((await order('cancel')).status).toBe(409);
    expect((await order('lock', { delay: 600 })).status).toBe(200);
    await until(async () => ((await displayed()) === 1 ? true : null));
    expect((await order('cancel')).body.message).toBe('power.lock was cancelled');
    await until(async () => ((await displayed()) === 0 ? true : null));
  });

  test('sleep and shutdown wait for the service of a user as well, while clients listen', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['system'] });
    await until(async () => ((await inhibitorsIn(box)).includes('Hostler') ? true : null));
    client.end();
  });

  test('a locker that never confirms makes the lock unconfirmed, not refused', async () => {
    await succeed(box, ['pkill', '-x', 'xss-lock']);
    const { status, body } = await order('lock');
    expect([status, body.message]).toEqual([200, expect.stringContaining('this was not confirmed within 2 s')]);
  });

  test('logout ends the session, and the reply arrives', async () => {
    expect((await alice.processes()).length).toBeGreaterThan(0);
    const { status, body } = await order('logout');
    expect([status, body.message]).toEqual([200, 'alice is being logged out']);
    await until(async () => ((await alice.processes()).length === 0 ? true : null));
  });
});
