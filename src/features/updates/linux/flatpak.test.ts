import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import type { Run } from '../../../host/processes/run.ts';
import { readFlatpak } from './flatpak.ts';

const home = '/home/anna';
const own = `${home}/.local/share/flatpak`;
const installed = 'a1'.repeat(32);

const machine = () =>
  machineFiles({
    [`${own}/repo/config`]:
      '[core]\nmode=bare\n[remote "flathub"]\nurl=x\n[remote "off"]\nxa.disable=true\n[remote "never-asked"]\nurl=x\n[remote "-a"]\nurl=x\n',
    [`${own}/repo/tmp/cache/summaries/flathub.idx`]: '',
    [`${own}/repo/tmp/cache/summaries/flathub-x86_64-1f.sub`]: '',
    [`${own}/repo/tmp/cache/summaries/off`]: '',
    [`${own}/app/org.example.App/x86_64/stable/active`]: `-> ${installed}`,
    // The cache of root, which flatpak does not use for an ordinary user.
    '/var/lib/flatpak/repo/config': '[remote "flathub"]\nurl=x\n',
    '/var/lib/flatpak/repo/tmp/cache/summaries/flathub': '',
  });

test('only remotes with a cached list are queried, because flatpak fetches a missing one', async () => {
  const { root } = machine();
  const asked: string[][] = [];
  const environments: Record<string, string>[] = [];
  const run: Run = async (program, args, options) => {
    asked.push([program, ...args]);
    environments.push(options?.env ?? {});
    const stdout = 'org.example.App\tx86_64\tstable\tb2b2b2b2b2b2\norg.example.Gone\tx86_64\tstable\tc3c3c3c3c3c3\n';
    return { exitCode: 0, signal: null, stdout, stderr: '', truncated: false, timedOut: false };
  };
  const state = await readFlatpak({ roots: { all: root }, home, uid: 1000, run });
  expect(asked.map((each) => [each[0], each[2], each.at(-1)])).toEqual([['/usr/bin/flatpak', '--user', 'flathub']]);
  expect(asked[0]).toContain('--cached');
  expect(environments[0]).toMatchObject({ HOME: `${root}${home}`, https_proxy: 'http://127.0.0.1:9' });
  expect(state).toMatchObject({
    updates: 2,
    security: null,
    packages: [
      { name: 'org.example.App', current: installed.slice(0, 12), candidate: 'b2b2b2b2b2b2', security: null },
      { name: 'org.example.Gone', current: '', candidate: 'c3c3c3c3c3c3', security: null },
    ],
    origins: [{ origin: 'flathub', architecture: 'x86_64', updates: 2 }],
    problem: expect.stringContaining('flatpak --user remote-ls never-asked'),
  });
  expect(state?.checkedAtMs).not.toBeNull();
});
