// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { needs } from '../harness/parts.ts';
import { postJson, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('power actions of the Windows build under Wine', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    // Wine logs calls that it does not implement, with their arguments.
    hostler = await startWineHostler({ environment: { WINEDEBUG: 'fixme+all' } });
  });
  afterAll(() => hostler.stop());

  const order = async (verb: string, input: object = {}) => {
    return (await postJson(hostler, `/api/power/${verb}`, input)).status;
  };

  test.each([
    ['shutdown', {}, 'InitiateSystemShutdownExW (null) (null) 0 0 0 0x80000000'],
    ['restart', {}, 'InitiateSystemShutdownExW (null) (null) 0 0 1 0x80000000'],
    ['restart', { force: true }, 'InitiateSystemShutdownExW (null) (null) 0 1 1 0x80000000'],
  ])('%s with %p', async (verb, input, received) => {
    const before = hostler.output().length;
    expect(await order(verb, input)).toBe(200);
    await until(() => (hostler.output().includes(received, before) ? true : null));
  });

  test.each([
    ['sleep', 'SetSuspendState (0, 0, 0)'],
    ['hibernate', 'SetSuspendState (1, 0, 0)'],
  ])('%s fails, because Wine accepts it and does not sleep', async (verb, received) => {
    const before = hostler.output().length;
    const answer = await postJson(hostler, `/api/power/${verb}`, {});
    expect(await answer.text()).toContain(`power.${verb}: the machine did not sleep (Windows accepted the request)`);
    expect(answer.status).toBe(502);
    expect(hostler.output().slice(before)).toContain(received);
  });

  test('an error of Windows is reported: Wine cannot lock', async () => {
    expect(await order('lock')).toBe(403);
  });
});

describe.skipIf(!needs('Xvfb') || !needsWine())('the keyboard of the Windows build', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    hostler = await startWineHostler({
      mounts: [...x11Mounts],
      environment: { DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  test('types any text into the focused window, unit for unit, and presses keys with modifiers', async () => {
    const file = hostler.drive('note.txt');
    await hostler.beside(
      'printf "\\\\377\\\\376" > /w/pfx/drive_c/note.txt; (wine notepad.exe "C:\\\\note.txt" &) ; sleep 4',
    );
    const client = await connectSocket(hostler);
    const text = 'Hello é € 😀';
    await until(async () => {
      // The window may not exist yet; earlier text is replaced.
      await client.ask('KEYBOARD_KEYPRESS', { key: 'a', modifiers: ['control'] });
      await client.ask('KEYBOARD_TEXT', { text });
      await client.ask('KEYBOARD_KEYPRESS', { key: 's', modifiers: ['control'] });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return fs.readFileSync(file).toString('utf16le').replace('\ufeff', '') === text ? true : null;
    }, 100_000);
    client.end();
  });
});

describe.skipIf(!needsWine())('the environment of the Windows build', () => {
  test('a battery, as Wine reads it from the kernel', async () => {
    const fake = fs.mkdtempSync('/var/tmp/hostler-battery-');
    const supplies = path.join(fake, 'class', 'power_supply');
    const supply = (name: string, facts: Record<string, string>) => {
      fs.mkdirSync(path.join(fake, 'devices', name), { recursive: true });
      fs.mkdirSync(supplies, { recursive: true });
      // Wine accepts only links, as in the kernel.
      fs.symlinkSync(path.join('..', '..', 'devices', name), path.join(supplies, name));
      for (const [fact, value] of Object.entries(facts))
        fs.writeFileSync(path.join(supplies, name, fact), `${value}\n`);
    };
    const charge = {
      charge_full: '4400000',
      charge_now: '2640000',
      current_now: '880000',
      energy_full: '50000000',
      energy_now: '30000000',
      power_now: '10000000',
      voltage_now: '11400000',
    };
    const lines = [
      'TYPE=Battery',
      'STATUS=Discharging',
      ...Object.entries(charge).map(([fact, value]) => `${fact.toUpperCase()}=${value}`),
    ];
    const uevent = lines.map((line) => `POWER_SUPPLY_${line}`).join('\n');
    const battery = { type: 'Battery', scope: 'System', present: '1', status: 'Discharging', capacity: '60' };
    supply('BAT0', { ...battery, ...charge, uevent });
    supply('AC', { type: 'Mains', online: '0' });
    const mounts = [`mount -t overlay sys -o lowerdir=${fake}:/sys "$0/sys"`];
    const hostler = await startWineHostler({ mounts });
    try {
      const answer: unknown = await (await hostler.get('/api/data/battery')).json();
      // 2640 of 4400 mAh at 880 mA: three hours. On arm64 Wine says that the rate is 0, whatever it is: a negative number that it turns into one
      // without a sign becomes 0 there.
      const time_remaining = process.arch === 'arm64' ? null : 10_800;
      expect(answer).toEqual({ is_charging: false, percentage: 60, time_remaining, devices: [] });
    } finally {
      await hostler.stop();
      fs.rmSync(fake, { recursive: true });
    }
  });

  test('a command of the user ends with all its child processes when the service ends', async () => {
    const args = ['/c', 'C:\\windows\\system32\\ping.exe -n 900 127.0.0.1 >nul'];
    const allowed = {
      id: 'long',
      name: 'long',
      command: 'C:\\windows\\system32\\cmd.exe',
      workingDir: '',
      arguments: args,
    };
    const settings = JSON.stringify({ commands: { allowlist: [allowed] } });
    const folder = '"$0/w/pfx/drive_c/users/root/AppData/Local/hostler"';
    const hostler = await startWineHostler({
      mounts: [`mkdir -p ${folder}`, `printf %s '${settings.replaceAll('%', '%%')}' > ${folder}/settings.json`],
    });
    try {
      const client = await connectSocket(hostler);
      const running = async () => {
        const list = (await (await hostler.get('/api/data/processes')).json()) as { name: string }[];
        return list.some(({ name }) => name.toLowerCase() === 'ping.exe') ? true : null;
      };
      client.send('COMMAND_EXECUTE', { commandID: 'long' });
      await until(running);
      client.send('EXIT_APPLICATION');
      // Read by a separate command, since the service is gone.
      await until(async () => {
        const list = await hostler.beside('wine hostler.exe data processes --json');
        return list.toLowerCase().includes('ping.exe') ? null : true;
      }, 100_000);
      client.end();
    } finally {
      await hostler.stop();
    }
  });
});
