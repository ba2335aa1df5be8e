import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { linesOf } from '../../../../test/harness/metric-lines.ts';
import { setPart } from '../../../core/part.ts';
import { clockDiscipline, systemMetricsLinux } from './system.scrape.ts';

const collect = (contents: Record<string, string>) =>
  systemMetricsLinux(setPart(fakeHost({ files: machineFiles(contents) }), clockDiscipline, null));

test('metrics about the kernel and the distribution', async () => {
  const metrics = await collect({
    '/proc/sys/kernel/osrelease': '6.1.0-13-amd64\n',
    '/proc/sys/kernel/version': '#1 SMP\n',
    '/proc/sys/kernel/hostname': 'pc\n',
    '/proc/sys/kernel/domainname': '(none)\n',
    '/proc/sys/kernel/random/entropy_avail': '256\n',
    '/proc/sys/fs/file-nr': '1024\t0\t9000\n',
    '/etc/os-release': 'ID=ubuntu\nID_LIKE=debian\nNAME="Ubuntu"\nVERSION_ID="24.04"\n',
    '/sys/devices/system/clocksource/clocksource0/available_clocksource': 'tsc hpet \n',
    '/sys/devices/system/clocksource/clocksource0/current_clocksource': 'tsc\n',
  });
  for (const line of [
    'node_uname_info{sysname="Linux",release="6.1.0-13-amd64",version="#1 SMP",machine="x86_64",nodename="pc",domainname="(none)"} 1',
    'node_entropy_available_bits 256',
    'node_filefd_allocated 1024',
    'node_filefd_maximum 9000',
    'node_os_version{id="ubuntu",id_like="debian",name="Ubuntu"} 24.04',
    'node_time_seconds 1767225600',
    'node_time_clocksource_available_info{clocksource="hpet",device="0"} 1',
    'node_time_clocksource_current_info{clocksource="tsc",device="0"} 1',
  ])
    expect(linesOf(metrics, line.split(/[ {]/)[0] ?? '')).toContain(line);
});

test('unreadable values are left out', async () => {
  const metrics = await collect({});
  for (const name of ['node_filefd_allocated', 'node_entropy_available_bits', 'node_os_version', 'node_timex_status'])
    expect(linesOf(metrics, name)).toEqual([]);
});
