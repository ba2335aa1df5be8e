// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { anotherUser } from '../harness/another-user.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

/**
 * Wine has one Windows user for each user of Linux, with a prefix of their own; any user but the owner of a file is a different user to it. So here are
 * two: each with their own C:, and both with the disk D:, on which all users may create directories, as in C:\ on Windows. What they do not
 * share, unlike on Windows, are pipes and mutexes.
 */
const other = '"$0/tmp/other"';
const mounts = () => [
  ...(wineProgram('read-rights', ['advapi32']).mounts ?? []),
  'mkdir -m 1777 "$0/tmp/shared" && ln -sfn /tmp/shared "$0/w/pfx/dosdevices/d:"',
  `mkdir -p ${other}/changes ${other}/work ${other}/pfx ${other}/run`,
  `mount -t overlay other -o lowerdir="$0/w/pfx",upperdir=${other}/changes,workdir=${other}/work ${other}/pfx`,
  `mount --bind "$0/w/pfx/drive_c/hostler" ${other}/pfx/drive_c/hostler`,
  // The Wine of Debian stores the location of its server there.
  `rm -f ${other}/pfx/wineserver`,
  `(cd ${other} && chown ${anotherUser} . run pfx pfx/*.reg pfx/.update-timestamp pfx/dosdevices pfx/drive_c pfx/drive_c/users pfx/drive_c/windows/temp)`,
];
const become = `cd /tmp/other/pfx/drive_c/hostler; env HOME=/tmp/other WINEPREFIX=/tmp/other/pfx XDG_RUNTIME_DIR=/tmp/other/run`;
const asOther = `setpriv --reuid ${anotherUser} --regid ${anotherUser} --clear-groups`;
const at = (place: string) => `SERVICE_STATE_DIR='D:\\${place}' SERVICE_CONFIG_DIR='D:\\${place}'`;

describe.skipIf(!needsWine())('two users of one Windows', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    hostler = await startWineHostler({ mounts: mounts() });
    await hostler.beside(
      'mkdir -m 777 /tmp/shared/open; mkdir -m 755 /tmp/shared/readable; mkdir -m 700 /tmp/shared/own',
    );
    // Made anew by us.
    await one(`${at('made')} wine hostler.exe token`);
  });
  afterAll(() => hostler?.stop());

  const one = (command: string) => hostler.beside(`(${command}); echo "rc $?"`);
  const two = (command: string, environment = '') =>
    hostler.beside(`(${become} ${environment} ${asOther} ${command}); echo "rc $?"`);
  const rights = async (...places: string[]) => {
    const named = places.map((place) => `'${place}'`).join(' ');
    const text = await one(`wine 'C:\\standins\\read-rights.exe' ${named}`);
    return places.map((place) => text.split(`rights ${place} `)[1]?.split('\n')[0]?.trim());
  };

  test('a new state directory is for its owner and the system alone', async () => {
    const [usual, made] = await rights('C:\\users\\root\\AppData\\Local\\hostler', 'D:\\made');
    for (const sddl of [usual, made]) {
      expect(sddl).toMatch(/^O:S-1-5-21-[0-9-]+D:/);
      const own = /^O:(S-[0-9-]+)D:/.exec(sddl ?? '')?.[1] ?? 'none';
      const accounts = [...(sddl ?? '').matchAll(/;;;([^)]+)\)/g)].map(([, account]) => account);
      expect(accounts.sort()).toEqual([own, 'SY'].sort());
    }
  });

  test.each([
    ['open', 'others (WD) may change it'],
    ['readable', 'others (WD) may read it'],
  ])('a state directory that is %s to others is refused: %s', async (place, problem) => {
    for (const command of ['token', 'serve --port 0']) {
      const said = await one(`${at(place)} wine hostler.exe ${command}`);
      expect(said).toContain(`The state directory D:\\${place} is not safe: ${problem}`);
      expect(said).toContain(`icacls "D:\\${place}" /inheritance:r /grant:r *S-1-5-21-`);
      expect(said).not.toContain('listening on');
    }
    expect(await one(`ls -A /tmp/shared/${place}`)).toBe('rc 0\n');
  });

  test('an existing private directory of the owner is accepted', async () => {
    expect(await one(`${at('own')} wine hostler.exe token list`)).toContain('at the first start');
  });

  test('another user cannot read it, and Hostler does not use it for them', async () => {
    const token = fs.readFileSync(hostler.drive('users/root/AppData/Local/hostler/token'), 'utf8').trim();
    const made = (await one('cat /tmp/shared/made/token')).split('\n')[0] ?? '';
    expect(made.length).toBeGreaterThan(20);
    for (const place of ['made', 'own']) {
      expect(await two(`wine cmd /c type 'D:\\${place}\\token'`)).toContain('denied');
      const said = await two('wine hostler.exe token', at(place));
      expect(said).toContain(`The state directory D:\\${place} is not safe: `);
      expect(said).toContain('belongs to another account');
      expect(said).not.toContain(made);
      expect(said).not.toContain('rc 0');
    }
    expect(await two('wine hostler.exe token')).not.toContain(token);
  });

  test('a program that others can replace is not started at login', async () => {
    const said = await one(
      "cp hostler.exe /tmp/shared/open && wine 'D:\\open\\hostler.exe' service install; echo rc $?; rm /tmp/shared/open/hostler.exe",
    );
    expect(said).toContain('Other users (WD) may change D:\\open, so they could replace the program');
    expect(said).toContain('rc 1');
    expect(said).not.toContain('Start menu');
    expect(await one('wine hostler.exe service status')).toContain('not started when you log in');
  });

  test('both serve at the same time, each with a token and state of their own', async () => {
    const serve = `${become} ${asOther} wine hostler.exe serve --port 0 > /tmp/other/said.txt 2>&1`;
    await hostler.beside(`(${serve} &)`);
    const port = await until(
      async () => /listening on http:\/\/\S+:(\d+)/.exec(await hostler.beside('cat /tmp/other/said.txt'))?.[1] ?? null,
      120_000,
    );
    const theirs = /^[\w-]{20,}/m.exec(await two('wine hostler.exe token'))?.[0] ?? '';
    const ask = async (at: number, token: string) =>
      (await fetch(`http://127.0.0.1:${at}/api/data/memory`, { headers: { 'X-API-Token': token } })).status;
    expect(theirs).not.toBe(hostler.token);
    expect([await ask(hostler.port, hostler.token), await ask(Number(port), theirs)]).toEqual([200, 200]);
    expect([await ask(hostler.port, theirs), await ask(Number(port), hostler.token)]).toEqual([401, 401]);
    // The commands of each user find their own service.
    expect(await one('wine hostler.exe status')).toContain(`:${hostler.port}`);
    expect(await two('wine hostler.exe status')).toContain(`:${port}`);
  });
});
