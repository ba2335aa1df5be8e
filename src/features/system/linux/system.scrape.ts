import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import { readOsRelease } from './os-release.ts';
import { clockMetrics } from './system.clock-metrics.ts';

/** Metrics about the kernel as a whole. */
export async function systemMetricsLinux(host: LinuxHost): Promise<Metric[]> {
  const { files, environment } = host;
  const kernel = (name: string) => files.text(`/proc/sys/kernel/${name}`)?.trim() ?? '';
  const [allocated, , maximum] = (files.text('/proc/sys/fs/file-nr') ?? '').trim().split(/\s+/).map(numberIn);
  return [
    gauge('node_uname_info', 'What kernel this is', [
      [
        {
          sysname: 'Linux',
          ...kernelOf(files),
          machine: environment.machine,
          nodename: kernel('hostname'),
          domainname: kernel('domainname'),
        },
        1,
      ],
    ]),
    ...releaseOf(files),
    gauge('node_filefd_allocated', 'Files that are open on the whole machine', allocated),
    gauge('node_filefd_maximum', 'Files that can be open at most', maximum),
    gauge('node_entropy_available_bits', 'Entropy that is available', numberIn(kernel('random/entropy_avail'))),
    gauge('node_entropy_pool_size_bits', 'Size of the entropy pool', numberIn(kernel('random/poolsize'))),
    gauge('node_selinux_enabled', 'Whether SELinux is on', files.exists('/sys/fs/selinux/enforce')),
    // Alert rules for node_exporter expect it. Without a textfile collector it is always 0.
    gauge(
      'node_textfile_scrape_error',
      'Whether a file with further metrics could not be read; there are none here',
      0,
    ),
    ...(await clockMetrics(host)),
  ];
}

/** Constant until the next boot. */
const kernelOf = keptFor((files: Files) => {
  const text = (name: string) => files.text(`/proc/sys/kernel/${name}`)?.trim() ?? '';
  return { release: text('osrelease'), version: text('version') };
});

/** An update of the distribution shows after the next start of the service. */
const releaseOf = keptFor((files: Files) => releaseMetrics(readOsRelease(files)));

const releaseLabels =
  'build_id id id_like image_id image_version name pretty_name variant variant_id version version_codename version_id'.split(
    ' ',
  );

function releaseMetrics(release: Map<string, string>): Metric[] {
  const of = (label: string) => release.get(label.toUpperCase()) ?? '';
  const [, version] = /^(\d+(?:\.\d+)?)/.exec(of('version_id')) ?? [];
  return [
    gauge('node_os_info', 'What system this is', [
      [Object.fromEntries(releaseLabels.map((label) => [label, of(label)])), 1],
    ]),
    gauge('node_os_version', 'Version of the system, up to the first point', [
      [{ id: of('id'), id_like: of('id_like'), name: of('name') }, version === undefined ? null : Number(version)],
    ]),
  ];
}
