import { describe, expect, test } from 'bun:test';
import { defaultSettings, modules } from '../features/index.ts';
import { knownHistory } from '../history/series-catalogue.ts';
import { checkProblems, conditionOf, knownProblems } from './conditions.ts';

const problems = await knownProblems(modules);
const known = (await knownHistory(modules))(defaultSettings);

test('no problem has the name of a kind of event, which would be ambiguous', () => {
  expect([...problems.keys()].filter((name) => known.kinds.has(name))).toEqual([]);
  expect([...problems.keys(), ...known.kinds.keys()].filter((name) => !/^[a-z][a-z0-9_]{0,63}$/.test(name))).toEqual(
    [],
  );
});

test('an empty payload has no problem', () => {
  for (const [name, { module, problem }] of problems) {
    const { empty } = modules.find((each) => each.name === module) ?? {};
    expect([name, problem.find(empty, problem.percent ?? 0)]).toEqual([name, []]);
  }
});

function found(event: string, payload: unknown, percent?: number): string {
  const when = { event, ...(percent === undefined ? {} : { percent }) };
  const condition = conditionOf({ when }, known, problems);
  if (condition.kind !== 'problem') throw new Error(condition.kind);
  const check = checkProblems(condition, undefined, payload, false);
  return check.kind === 'on' ? check.text : check.kind === 'missing' ? `unknown: ${check.reason}` : '';
}

const partition = (mount_point: string, percent: number, category = 'primary', total = 1000) => ({
  mount_point,
  category,
  usage: { percent, total },
});

describe('problems of disks', () => {
  const disks = (given: object) => ({ devices: [], arrays: [], ...given });

  test('that are full', () => {
    const partitions = [
      partition('/', 95.6),
      partition('/snap', 100, 'squashfs'),
      partition('/empty', 100, 'primary', 0),
    ];
    expect(found('disk_full', disks({ devices: [{ partitions }] }))).toBe('/ is 95 % full');
    expect(found('disk_full', disks({ devices: [{ partitions }] }), 96)).toBe('');
    expect(found('disk_full', disks({ devices: [{ partitions: [{ ...partition('/', 0), usage: null }] }] }))).toBe('');
  });

  test('that fail', () => {
    const drive = (name: string, passed: boolean | null) => ({
      name,
      partitions: [],
      health: { passed, critical_warnings: [] },
    });
    const array = { name: 'md0', kind: 'md', state: 'degraded', members: [] };
    expect(
      found(
        'drive_failing',
        disks({ devices: [drive('sda', false), drive('sdb', true), drive('sdc', null)], arrays: [array] }),
      ),
    ).toBe('Drive sda is failing; RAID array md0 is degraded');
  });
});

test('the problem of failed services', () => {
  const unit = (name: string, active_state: string, scope = 'system') => ({ name, active_state, scope });
  const units = [unit('nginx.service', 'failed'), unit('a.service', 'active'), unit('b.service', 'failed', 'user')];
  expect(found('service_failed', { manager: 'systemd', units })).toBe(
    'nginx.service failed; b.service of the user failed',
  );
  expect(found('service_failed', { manager: null, units: [] })).toBe(
    'unknown: this machine has no known service manager',
  );
});

test.each([
  [{ state: 'running', health: 'unhealthy' }, 'is unhealthy'],
  [{ state: 'running', health: 'healthy' }, null],
  [{ state: 'running', oom: true }, null],
  [{ state: 'restarting', exit_code: 1 }, 'ends and is started again'],
  [{ state: 'exited', exit_code: 1 }, 'ended with the exit code 1'],
  [{ state: 'exited', exit_code: 0 }, null],
  [{ state: 'exited', exit_code: 143 }, null],
  [{ state: 'exited', exit_code: 137 }, null],
  [{ state: 'exited', exit_code: 137, oom: true }, 'ran out of memory'],
  [{ state: 'created' }, null],
  [{ state: 'paused', health: 'unhealthy' }, null],
])('the problem of a container %j', (given, wrong) => {
  const container = { name: 'web', health: null, exit_code: null, oom: false, ...given };
  expect(found('container_failed', { engines: [], containers: [container] })).toBe(
    wrong === null ? '' : `The container web ${wrong}`,
  );
});

test('the state of containers is unknown while their engine does not answer', () => {
  const engine = (reachable: boolean) => ({ reachable, problem: reachable ? null : 'it hangs' });
  expect(found('container_failed', { engines: [engine(false)], containers: [] })).toBe('unknown: it hangs');
  expect(found('container_failed', { engines: [engine(false), engine(true)], containers: [] })).toBe('');
});
