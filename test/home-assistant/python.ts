import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createConfiguration } from './home-assistant.ts';
import { expectTrue, type Report } from './report.ts';

/** The integration's Python in the environment of Home Assistant, without a service: its tests, the validation of integrations, and its types. */
export async function testPython(directory: string, within: readonly string[], { check }: Report): Promise<void> {
  const configuration = createConfiguration(directory);
  fs.cpSync(path.join(import.meta.dirname, 'python'), path.join(configuration, 'tests'), { recursive: true });
  const run = (command: string) => {
    const [program = '', ...before] = [...within, path.join(directory, 'in-tree.sh')];
    const { status, stdout, stderr } = spawnSync(
      program,
      [...before, 'sh', '-c', `cd '${configuration}' && exec ${command}`],
      { env: { PATH: process.env.PATH ?? '', HA_DIR: directory }, encoding: 'utf8', timeout: 900_000 },
    );
    expectTrue(status === 0, `${stdout}${stderr}`.slice(-4000));
    return stdout.trim().split('\n').at(-1) ?? '';
  };
  try {
    await check('the tests of the integration', async () =>
      run('python3 -B -m pytest -q -p no:cacheprovider --asyncio-mode=auto -W ignore -c /dev/null --rootdir=. tests'),
    );
    await check('hassfest', async () =>
      run(`python3 -B -c '
import os, subprocess, sys, homeassistant
core = os.path.dirname(os.path.dirname(homeassistant.__file__))
path = os.path.abspath("custom_components/hostler")
sys.exit(subprocess.run([sys.executable, "-B", "-m", "script.hassfest", "--action", "validate", "--integration-path", path], cwd=core).returncode)
'`),
    );
    await check('the types of the integration', async () =>
      run('python3 -m mypy --strict --follow-imports=silent --cache-dir=/dev/null -p custom_components.hostler'),
    );
  } finally {
    fs.rmSync(configuration, { recursive: true });
  }
}
