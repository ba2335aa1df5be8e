import { expect, test } from 'bun:test';
import { parseCgroup, parseCgroupPlace } from './cgroup-path.ts';

const id = '4f'.repeat(32);

test.each([
  ['0::/system.slice/ssh.service\n', '/system.slice/ssh.service'],
  ['12:pids:/a\n1:name=systemd:/system.slice/cron.service\n0::/\n', '/system.slice/cron.service'],
  ['9:name=systemd:/\n4:memory:/jobs/7\n0::/\n', '/jobs/7'],
  ['0::/\n', '/'],
  ['0::/a:b/c\n', '/a:b/c'],
  ['', null],
  ['nonsense', null],
])('a process with the cgroup file %j is in the group %j', (text, expected) => {
  expect(parseCgroup(text)).toBe(expected);
});

const nowhere = { unit: null, userUnit: null, container: null };
const user = '/user.slice/user-1000.slice/user@1000.service';

test.each([
  ['/', nowhere],
  ['/init.scope', { unit: 'init.scope' }],
  ['/system.slice/ssh.service', { unit: 'ssh.service' }],
  ['/system.slice/system-getty.slice/getty@tty1.service', { unit: 'getty@tty1.service' }],
  ['/user.slice/user-1000.slice/session-2.scope', { unit: 'session-2.scope' }],
  [
    `${user}/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope`,
    { unit: 'user@1000.service', userUnit: 'vte-spawn-1.scope' },
  ],
  [`${user}/init.scope`, { unit: 'user@1000.service', userUnit: 'init.scope' }],
  [`/system.slice/docker-${id}.scope`, { unit: `docker-${id}.scope`, container: { engine: 'docker', id } }],
  [`/docker/${id}`, { container: { engine: 'docker', id } }],
  [`/docker/${id}/nested`, { container: { engine: 'docker', id } }],
  [
    `${user}/user.slice/libpod-${id}.scope/container`,
    { unit: 'user@1000.service', userUnit: `libpod-${id}.scope`, container: { engine: 'podman', id } },
  ],
  [`/machine.slice/libpod-conmon-${id}.scope`, { unit: `libpod-conmon-${id}.scope` }],
  [
    `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/cri-containerd-${id}.scope`,
    { unit: `cri-containerd-${id}.scope`, container: { engine: 'containerd', id } },
  ],
  [`/kubepods/burstable/pod1234-ab/${id}`, { container: { engine: 'kubernetes', id } }],
  ['/lxc.payload.web/init.scope', { container: { engine: 'lxc', id: 'web' } }],
  ['/lxc/web', { container: { engine: 'lxc', id: 'web' } }],
  [
    '/machine.slice/systemd-nspawn@deb.service/payload',
    { unit: 'systemd-nspawn@deb.service', container: { engine: 'systemd-nspawn', id: 'deb' } },
  ],
  [`/docker/${id.slice(1)}`, nowhere],
  ['/../../evil', nowhere],
])('the unit and the container of the group %s', (path, expected) => {
  expect(parseCgroupPlace(path)).toEqual({ ...nowhere, ...expected });
});
