// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Services, ServiceUnit } from '../../../src/features/services/services.schema.ts';
import { until } from '../../harness/until.ts';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { type BoxedReceiver, startBoxedReceiver } from '../harness/boxed-receiver.ts';
import { type BoxedService, type BoxUser, built, builtInside, startBoxed, succeed } from '../harness/boxed-service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { isSignedWith } from '../harness/webhook-receivers.ts';

setDefaultTimeout(600_000);

const many = 2000;
const names = Array.from({ length: many }, (_, n) => `many-${n}.service`);
const sleeper = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';
const unitFiles: Record<string, string> = {
  'good.service': `[Unit]\nDescription=Good one\n${sleeper}`,
  'other.service': sleeper,
  'breaks.service': '[Service]\nExecStart=/bin/sh -c "echo it broke; exit 3"\n',
  'flaps.service':
    '[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStart=/bin/false\nRestart=always\nRestartSec=100ms\n',
  'static.service': '[Service]\nExecStart=/bin/sleep infinity\n',
  'never.service': '[Unit]\nConditionPathExists=/does/not/exist\n[Service]\nExecStart=/bin/true\n',
  'hidden.service': sleeper,
  'copy@.service': '[Service]\nExecStart=/bin/sleep infinity\n',
  'broken.timer': '[Timer]\nOnCalendar=never at all\n',
  'ails.service': '[Service]\nExecStart=/bin/sh -c "test -e /run/repaired || exit 3; exec sleep infinity"\n',
};
/** Two of them have names of units of the machine, which must not matter. */
const unitsOfAlice: Record<string, string> = {
  'good.service': sleeper,
  'other.service': `[Unit]\nDescription=Another one\n${sleeper.replace('multi-user', 'default')}`,
  'mine.service': '[Service]\nExecStart=/bin/sh -c "echo mine broke; exit 5"\n',
};
const ofAlice = ['user:other.service', 'user:mine.service', 'user:gone.service'];
const allowlist = [
  'good.service',
  'breaks.service',
  'static.service',
  'never.service',
  'hidden.service',
  'copy@one.service',
  'gone.service',
];

/** The built service beside a real systemd; its data is compared with systemctl. */
describe.skipIf(!canBoot(built, 'systemctl', 'journalctl', 'useradd', 'busctl'))('services of a real systemd', () => {
  let box: PrivateBox;
  let service: BoxedService;
  const alice: BoxUser = { name: 'alice', uid: 4321 };
  const directory = '/etc/systemd/system';

  beforeAll(async () => {
    box = await bootBox({
      binds: [[built, builtInside]],
      prepare(write) {
        for (const [name, text] of Object.entries(unitFiles)) write(`${directory}/${name}`, text);
        for (const [name, text] of Object.entries(unitsOfAlice))
          write(`/home/alice/.config/systemd/user/${name}`, text);
        const settings = `${JSON.stringify({ services: { allowlist } })}\n`;
        write('/var/lib/hostler/config/settings.json', settings);
        write('/home/alice/config/settings.json', settings);
      },
    });
    await succeed(box, ['useradd', '--uid', String(alice.uid), '--shell', '/bin/sh', alice.name]);
    await succeed(box, ['chown', '-R', `${alice.uid}`, '/home/alice']);
    service = await startBoxed(box);
  });
  afterAll(async () => {
    service?.close();
    await box?.remove();
  });

  const get = async (path: string, token = service.token) => {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { 'X-API-Token': token } });
    return { status: response.status, body: await response.json() };
  };
  const read = async () => (await get('/api/data/services')).body as Services;
  const find = async (name: string, whose: ServiceUnit['scope'] = 'system') =>
    (await read()).units.find(({ name: its, scope }) => its === name && scope === whose);
  const found = (name: string, isIt: (unit: ServiceUnit) => boolean, whose: ServiceUnit['scope'] = 'system') =>
    until(async () => {
      const unit = await find(name, whose);
      return unit !== undefined && isIt(unit);
    }, `${name} to be as it should`);
  const show = async (name: string, ...properties: string[]) => {
    // Without one it is the manager itself.
    const unit = name === '' ? [] : [name];
    const names = properties.map((property) => `--property=${property}`);
    const text = await succeed(box, ['systemctl', 'show', ...unit, '--timestamp=unix', ...names]);
    return Object.fromEntries(
      text.split('\n').flatMap((line) => [/^(\w+)=(.*)$/.exec(line)?.slice(1) ?? []]),
    ) as Record<string, string>;
  };
  const order = (verb: string, unit: unknown) => service.post(`/api/service/${verb}`, { unit });

  test('a started unit matches systemctl', async () => {
    expect((await order('start', 'good.service')).body).toMatchObject({ data: { active_state: 'active', done: true } });
    await found('good.service', ({ main_pid }) => main_pid !== null);
    const known = await show('good.service', 'MainPID', 'NRestarts', 'ActiveEnterTimestamp', 'Description', 'SubState');
    const unit = await find('good.service');
    expect(unit).toMatchObject({
      scope: 'system',
      description: known.Description,
      load_state: 'loaded',
      active_state: 'active',
      sub_state: known.SubState,
      main_pid: Number(known.MainPID),
      restarts: Number(known.NRestarts),
      enabled: 'disabled',
    });
    expect(Math.floor(unit?.since ?? 0)).toBe(Number(known.ActiveEnterTimestamp?.replace('@', '')));
    expect(unit?.cpu_time).toBeNumber();
  });

  test('every service is listed, in the state that systemctl reports', async () => {
    const listed = await succeed(box, ['systemctl', 'list-units', '--all', '--type=service', '--output=json']);
    const rows = JSON.parse(listed) as { unit: string; load: string; active: string }[];
    const expected = rows.filter(({ load }) => load !== 'not-found').map(({ unit }) => unit);
    const names = (await read()).units.map(({ name }) => name);
    for (const name of expected) expect(names).toContain(name);
  });

  test('the enabled state of each service matches systemctl', async () => {
    const listed = await succeed(box, ['systemctl', 'list-unit-files', '--type=service', '--output=json']);
    const states = new Map(
      (JSON.parse(listed) as { unit_file: string; state: string }[]).map(({ unit_file, state }) => [unit_file, state]),
    );
    const { units } = await read();
    const both = units.filter(({ name }) => states.has(name));
    expect(both.length).toBeGreaterThan(10);
    const show = ({ name, enabled }: { name: string; enabled: string | null | undefined }) => `${name} ${enabled}`;
    expect(both.map(show)).toEqual(both.map(({ name }) => show({ name, enabled: states.get(name) })));
  });

  test('a failed service comes first, and the machine is no longer "running"', async () => {
    const { status, body } = await order('start', 'breaks.service');
    expect(status).toBe(502);
    expect(body.error).toMatch(/breaks\.service .*failed.*exit-code/);
    await found('breaks.service', ({ active_state }) => active_state === 'failed');
    const { units, state, counts } = await read();
    expect(state).toBe((await box.run(['systemctl', 'is-system-running'])).stdout.trim());
    expect(counts.failed).toBeGreaterThan(0);
    const failed = units.slice(0, counts.failed);
    expect(failed.every(({ active_state }) => active_state === 'failed')).toBeTrue();
    expect(failed.map(({ name }) => name)).toContain('breaks.service');
  });

  test('the log of a unit has its output, and matches journalctl', async () => {
    const witness = await succeed(box, ['journalctl', '--unit=breaks.service', '--output=cat', '--no-pager']);
    expect(witness).toContain('it broke');
    const { status, body } = await get('/api/service/logs?unit=breaks.service&lines=100');
    expect(status).toBe(200);
    expect((body as { lines: { text: string }[] }).lines.map(({ text }) => text)).toEqual(
      witness.trimEnd().split('\n'),
    );
    const { stdout } = await service.command('services', 'logs', 'breaks', '--lines', '20');
    expect(stdout).toContain('it broke');
    expect((await get('/api/service/logs?unit=nowhere.service')).status).toBe(404);
  });

  test('restarts of a service are counted', async () => {
    await succeed(box, ['systemctl', 'start', 'flaps.service']);
    await found('flaps.service', ({ restarts }) => (restarts ?? 0) >= 3);
    await succeed(box, ['systemctl', 'stop', 'flaps.service']);
    // systemd soon unloads an inactive unit that nothing references.
    await until(async () => ((await find('flaps.service'))?.active_state ?? 'inactive') === 'inactive', 'its end');
  });

  test('changes are pushed to listeners, without another request', async () => {
    await order('stop', 'good.service');
    const socket = await connectSocket(service);
    const receivedText = () =>
      socket.messages.flatMap(({ type, module, data }) =>
        type === 'DATA_UPDATE' && module === 'services'
          ? (data as Services).units.filter(({ name }) => name === 'good.service')
          : [],
      );
    await socket.ask('REGISTER_DATA_LISTENER', { modules: ['services'] });
    await until(() => receivedText().some(({ active_state }) => active_state === 'inactive'), 'the first update');
    await succeed(box, ['systemctl', 'start', 'good.service']);
    await until(
      () => receivedText().some(({ active_state }) => active_state === 'active'),
      'the unit that was started',
    );
    socket.end();
  });

  test('a service is restarted, enabled, disabled and stopped, and systemctl confirms each', async () => {
    const before = (await show('good.service', 'MainPID')).MainPID;
    expect((await order('restart', 'good.service')).status).toBe(200);
    expect((await show('good.service', 'MainPID')).MainPID).not.toBe(before as string);
    expect((await order('enable', 'good.service')).body).toMatchObject({ data: { enabled: 'enabled' } });
    expect((await box.run(['systemctl', 'is-enabled', 'good.service'])).stdout.trim()).toBe('enabled');
    await found('good.service', ({ enabled }) => enabled === 'enabled');
    expect((await order('disable', 'good.service')).body).toMatchObject({ data: { enabled: 'disabled' } });
    expect((await box.run(['systemctl', 'is-enabled', 'good.service'])).stdout.trim()).toBe('disabled');
    expect((await order('stop', 'good.service')).body).toMatchObject({ data: { active_state: 'inactive' } });
    expect((await box.run(['systemctl', 'is-active', 'good.service'])).stdout.trim()).toBe('inactive');
    expect((await order('start', 'copy@one.service')).status).toBe(200);
    expect((await box.run(['systemctl', 'is-active', 'copy@one.service'])).stdout.trim()).toBe('active');
  });

  test('services that cannot be enabled, whose condition fails or that are masked give the reason', async () => {
    expect((await order('enable', 'static.service')).body.error).toContain('no section [Install]');
    const conditional = await order('start', 'never.service');
    expect([conditional.status, conditional.body.error]).toEqual([409, expect.stringContaining('condition')]);
    await succeed(box, ['rm', `${directory}/hidden.service`]);
    await succeed(box, ['systemctl', 'mask', 'hidden.service']);
    const { status, body } = await order('start', 'hidden.service');
    expect([status, body.error]).toEqual([409, expect.stringContaining('masked')]);
    await found('hidden.service', ({ enabled }) => enabled === 'masked');
  });

  test.each([
    ['one that is not listed', 'other.service', 403],
    ['one of the user instead', 'user:good.service', 403],
    ['a template', 'copy@.service', 400],
    ['a path', '../good.service', 400],
    ['a long path', '../../etc/systemd/system/good.service', 400],
    ['a name of 10,000 characters', `${'a'.repeat(10_000)}.service`, 400],
    ['a target', 'poweroff.target', 400],
    ['one that is listed and not there', 'gone.service', 404],
  ])('%s is refused with an error message, and nothing changes', async (_what, unit, status) => {
    const jobs = async () => (await show('', 'NInstalledJobs', 'NFailedJobs')).NInstalledJobs;
    const before = await jobs();
    for (const verb of ['start', 'stop', 'restart', 'enable', 'disable']) {
      const refused = await order(verb, unit);
      expect([verb, refused.status]).toEqual([verb, status]);
      expect(refused.body.error).toMatch(/\w+ \w+/);
      expect(refused.body.error?.length).toBeLessThan(600);
    }
    expect(await jobs()).toBe(before as string);
  });

  test('a token without the scope can only read the services', async () => {
    const { stdout } = await service.command('token', 'create', '--name', 'reader', '--scope', 'read', '--json');
    const { token } = JSON.parse(stdout) as { token: string };
    expect((await get('/api/data/services', token)).status).toBe(200);
    const headers = { 'X-API-Token': token };
    for (const verb of ['start', 'stop', 'restart', 'enable', 'disable'])
      expect((await service.post(`/api/service/${verb}`, { unit: 'good.service' }, headers)).status).toBe(403);
    expect((await get('/api/service/logs?unit=good.service', token)).status).toBe(403);
  });

  test('the command line lists them, or only the failed ones', async () => {
    const { stdout } = await service.command('services', '--failed');
    expect(stdout).toContain('breaks.service');
    expect(stdout).not.toContain('good.service');
    const parsed = JSON.parse((await service.command('services', 'list', '--json')).stdout) as Services;
    expect(parsed.manager).toBe('systemd');
  });

  test('polkit refuses an ordinary user, until a rule allows exactly that', async () => {
    await service.stop();
    service = await startBoxed(box, alice, { outside: true });
    const refused = await order('start', 'good.service');
    expect([refused.status, (await box.run(['systemctl', 'is-active', 'good.service'])).stdout.trim()]).toEqual([
      403,
      'inactive',
    ]);
    const [, rule = ''] = /(polkit\.addRule.*\}\);)/.exec(refused.body.error ?? '') ?? [];
    expect(rule).toContain('good.service');
    fs.writeFileSync(box.path('/etc/polkit-1/rules.d/50-hostler.rules'), `${rule}\n`);
    await until(async () => (await order('start', 'good.service')).status === 200, 'the rule to be read');
    expect((await box.run(['systemctl', 'is-active', 'good.service'])).stdout.trim()).toBe('active');
    // Neither another verb nor another unit.
    expect((await order('stop', 'good.service')).status).toBe(403);
    expect((await order('start', 'static.service')).status).toBe(403);
    const enabling = await order('enable', 'good.service');
    expect([enabling.status, enabling.body.error]).toEqual([403, expect.stringContaining('for a single unit')]);
  });

  test('the log names the group that its reader lacks', async () => {
    const { body } = await get('/api/service/logs?unit=breaks.service');
    expect(body).toMatchObject({ reason: expect.stringContaining('systemd-journal') });
  });

  describe('beside the manager of a user who lingers', () => {
    let receiver: BoxedReceiver;
    let secret = '';
    const inside = {
      user: { uid: alice.uid, gid: alice.uid },
      env: { HOME: '/home/alice', XDG_RUNTIME_DIR: `/run/user/${alice.uid}` },
    };
    /** As alice; the exit codes of `is-active` and similar commands are not failures. */
    const witness = async (...args: string[]) =>
      (await box.run(['systemctl', '--user', ...args], inside)).stdout.trim();
    const answer = () =>
      receiver.received().map((message) => ({
        ...(JSON.parse(message.body) as { type: string; data: { id: string; text: string } }),
        isGenuine: isSignedWith(secret, message),
      }));

    beforeAll(async () => {
      await service.stop();
      await succeed(box, ['loginctl', 'enable-linger', alice.name]);
      await until(async () => /^(running|degraded)/.test(await witness('is-system-running')), 'the manager of alice');
      receiver = await startBoxedReceiver(box);
      const rule = (id: string, unit: string) => ({
        id,
        when: { event: 'service_failed', match: unit },
        notify: ['ops'],
      });
      const settings = {
        services: { allowlist: [...allowlist, ...ofAlice] },
        alerts: {
          webhooks: [{ id: 'ops', url: `http://127.0.0.1:${receiver.port}/hook` }],
          rules: [rule('machine', 'ails.service'), rule('own', 'mine.service')],
        },
      };
      fs.writeFileSync(box.path('/home/alice/config/settings.json'), JSON.stringify(settings));
      service = await startBoxed(box, alice);
      secret = (await service.command('alerts', 'secret', 'ops')).stdout;
    });
    afterAll(() => receiver?.close());

    test('failed units are reported to a webhook without other listeners', async () => {
      const states = async () => ((await get('/api/alerts')).body as { alerts: { state: string }[] }).alerts;
      await until(async () => (await states()).every(({ state }) => state === 'ok'), 'the first look');
      await succeed(box, ['systemctl', 'start', 'ails.service']);
      await until(() => answer().length > 0, 'the message about a unit of the machine', 120_000);
      expect(await states()).toMatchObject([{ state: 'active' }, { state: 'ok' }]);
      fs.writeFileSync(box.path('/run/repaired'), '');
      await succeed(box, ['systemctl', 'restart', 'ails.service']);
      await succeed(box, ['systemctl', '--user', 'start', 'mine.service'], inside);
      await until(() => answer().length > 1, 'the message about a unit of the user', 120_000);
      const message = (id: string, text: string) =>
        expect.objectContaining({
          type: 'alert.begun',
          isGenuine: true,
          data: expect.objectContaining({ id, text, machine: 'hostler-box' }),
        });
      expect(answer()).toEqual([
        message('machine', 'ails.service failed'),
        message('own', 'mine.service of the user failed'),
      ]);
    });

    test('the units of the user are listed separately, and match systemctl --user', async () => {
      expect((await order('start', 'user:other.service')).body).toMatchObject({ data: { active_state: 'active' } });
      await found('other.service', ({ main_pid }) => main_pid !== null, 'user');
      const rows = JSON.parse(await witness('list-units', '--all', '--type=service', '--output=json')) as {
        unit: string;
        load: string;
        active: string;
      }[];
      const { units, user_state } = await read();
      const ours = units.filter(({ scope }) => scope === 'user');
      for (const { unit, active } of rows.filter(({ load }) => load !== 'not-found'))
        expect(ours).toContainEqual(expect.objectContaining({ name: unit, active_state: active }));
      expect(user_state).toBe(await witness('is-system-running'));
      expect(ours.find(({ name }) => name === 'other.service')).toMatchObject({
        description: 'Another one',
        allowed: true,
        main_pid: Number(await witness('show', 'other.service', '--property=MainPID', '--value')),
        enabled: 'disabled',
      });
      expect((await find('other.service'))?.active_state ?? 'inactive').toBe('inactive');
    });

    test('a failed user unit is pushed as one of the user', async () => {
      const socket = await connectSocket(service);
      const receivedText = () =>
        socket.messages.flatMap(({ type, module, data }) =>
          type === 'DATA_UPDATE' && module === 'services'
            ? (data as Services).units.filter(({ name, scope }) => name === 'mine.service' && scope === 'user')
            : [],
        );
      await succeed(box, ['systemctl', '--user', 'reset-failed', 'mine.service'], inside);
      await socket.ask('REGISTER_DATA_LISTENER', { modules: ['services'] });
      await until(() => receivedText().at(-1)?.active_state === 'inactive', 'the first update');
      await succeed(box, ['systemctl', '--user', 'start', 'mine.service'], inside);
      await until(() => receivedText().at(-1)?.active_state === 'failed', 'the unit that failed');
      socket.end();
      expect(await witness('is-failed', 'mine.service')).toBe('failed');
      const { units, counts } = await read();
      expect(units.slice(0, counts.failed)).toContainEqual(
        expect.objectContaining({ name: 'mine.service', scope: 'user' }),
      );
    });

    test('its log matches journalctl --user', async () => {
      const args = ['journalctl', '--user', '--unit=mine.service', '--output=cat', '--no-pager'];
      const { stdout } = await box.run(args, inside);
      const { status, body } = await get('/api/service/logs?unit=user:mine.service&lines=100');
      expect([status, stdout]).toEqual([200, expect.stringContaining('mine broke')]);
      expect((body as { lines: { text: string }[] }).lines.map(({ text }) => text)).toEqual(
        stdout.trimEnd().split('\n'),
      );
    });

    test('listed user units are controlled without polkit, and systemctl --user confirms each', async () => {
      const before = await witness('show', 'other.service', '--property=MainPID', '--value');
      expect((await order('restart', 'user:other.service')).status).toBe(200);
      expect(await witness('show', 'other.service', '--property=MainPID', '--value')).not.toBe(before);
      expect((await order('enable', 'user:other.service')).body).toMatchObject({ data: { enabled: 'enabled' } });
      expect(await witness('is-enabled', 'other.service')).toBe('enabled');
      await found('other.service', ({ enabled }) => enabled === 'enabled', 'user');
      expect((await order('disable', 'user:other.service')).body).toMatchObject({ data: { enabled: 'disabled' } });
      expect(await witness('is-enabled', 'other.service')).toBe('disabled');
      expect((await order('stop', 'user:other.service')).body).toMatchObject({ data: { active_state: 'inactive' } });
      expect(await witness('is-active', 'other.service')).toBe('inactive');
      expect((await order('start', 'user:other.service')).status).toBe(200);
      expect(await witness('is-active', 'other.service')).toBe('active');
      // The system unit with the same name.
      expect((await box.run(['systemctl', 'is-active', 'other.service'])).stdout.trim()).toBe('inactive');
      const broken = await order('start', 'user:mine.service');
      expect([broken.status, broken.body.error]).toEqual([502, expect.stringContaining('exit-code')]);
    });

    test.each([
      ['one of the user whose name is listed for the machine only', 'user:good.service', 403],
      ['one of the machine whose name is listed for the user only', 'other.service', 403],
      ['one that is not in the list', 'user:dbus.service', 403],
      ['one that is listed and not there', 'user:gone.service', 404],
      ['a path', 'user:../good.service', 400],
      ['a template', 'user:copy@.service', 400],
      ['the user twice', 'user:user:other.service', 403],
    ])('%s is refused, and nothing changes', async (_what, unit, status) => {
      const standing = async () => [
        await witness('show', 'good.service', 'other.service', 'dbus.service', '--property=MainPID', '--value'),
        await witness('is-enabled', 'good.service', 'other.service'),
        (await box.run(['systemctl', 'is-active', 'other.service'])).stdout,
      ];
      const before = await standing();
      for (const verb of ['start', 'stop', 'restart', 'enable', 'disable']) {
        const refused = await order(verb, unit);
        expect([verb, refused.status]).toEqual([verb, status]);
        expect(refused.body.error).toMatch(/\w+ \w+/);
      }
      expect(await standing()).toEqual(before);
    });

    test('the alert ends when the unit recovers, whatever else is started meanwhile', async () => {
      for (const name of names)
        fs.writeFileSync(
          box.path(`${directory}/${name}`),
          '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n',
        );
      await succeed(box, ['systemctl', 'daemon-reload']);
      for (let from = 0; from < many; from += 250)
        await succeed(box, ['systemctl', 'start', ...names.slice(from, from + 250)]);
      await until(() => answer().length > 2, 'the end', 300_000);
      expect(answer().map(({ type, data, isGenuine }) => [type, data.id, isGenuine])).toEqual([
        ['alert.begun', 'machine', true],
        ['alert.begun', 'own', true],
        ['alert.ended', 'machine', true],
      ]);
    });
  });

  test('a new service lists 2,000 more units completely in its first response', async () => {
    await service.stop();
    service = await startBoxed(box);
    const first = await read();
    const there = new Set(first.units.map(({ name }) => name));
    expect(names.filter((name) => !there.has(name))).toEqual([]);
    expect(first.counts.active).toBeGreaterThanOrEqual(many);
    // Details that are queried per unit follow.
    await until(async () => {
      const { units } = await read();
      return units.filter(({ name, since }) => name.startsWith('many-') && since !== null).length === many;
    }, 'the details of all of them');
  });
});
