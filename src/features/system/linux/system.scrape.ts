import { definePart, partOf } from '../../../core/part.ts';
import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';
import type { ClockDiscipline, ReadClockDiscipline } from './clock-discipline.ts';
import { readOsRelease } from './os-release.ts';

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

async function clockMetrics(host: LinuxHost): Promise<Metric[]> {
  const { files, clock } = host;
  const discipline = (await partOf(host, clockDiscipline))?.() ?? null;
  return [
    gauge('node_time_seconds', 'The time now, Unix time', clock.now() / 1000),
    ...sourceMetrics(files),
    ...(discipline === null ? [] : disciplineMetrics(discipline)),
  ];
}

/** Loaded with the first scrape. null: this system does not report it. */
export const clockDiscipline = definePart<ReadClockDiscipline | null, LinuxHost>({
  name: 'system.clock-discipline',
  create: async () => (await import('./clock-discipline.ts')).openClockDiscipline(),
  absent: null,
});

const sources = '/sys/devices/system/clocksource';

/** Clock sources of the kernel. */
function sourceMetrics(files: Files): Metric[] {
  const devices = files.list(sources).flatMap((name) => /^clocksource(\d+)$/.exec(name)?.[1] ?? []);
  const each = (file: string) =>
    devices.flatMap((device) =>
      (files.text(`${sources}/clocksource${device}/${file}`) ?? '')
        .split(/\s+/)
        .filter((clocksource) => clocksource !== '')
        .map((clocksource) => [{ clocksource, device }, 1] as const),
    );
  return [
    gauge('node_time_clocksource_available_info', 'What the time could be taken from', each('available_clocksource')),
    gauge('node_time_clocksource_current_info', 'What the time is taken from', each('current_clocksource')),
  ];
}

function disciplineMetrics({ pulse, ...clock }: ClockDiscipline): Metric[] {
  return [
    gauge('node_timex_sync_status', 'Whether the clock is synchronised', clock.isSynchronized),
    gauge('node_timex_status', 'Status bits of the clock', clock.status),
    gauge('node_timex_offset_seconds', 'Offset of the clock from its reference', clock.offset),
    gauge(
      'node_timex_frequency_adjustment_ratio',
      'How much its speed is corrected; 1: not at all',
      clock.frequencyRatio,
    ),
    gauge('node_timex_maxerror_seconds', 'How wrong the clock is at most', clock.maxError),
    gauge('node_timex_estimated_error_seconds', 'How wrong the clock is presumably', clock.estimatedError),
    gauge('node_timex_loop_time_constant', 'Time constant of the loop that disciplines it', clock.timeConstant),
    gauge('node_timex_tick_seconds', 'Time between two ticks', clock.tick),
    gauge('node_timex_tai_offset_seconds', 'How far atomic time is ahead', clock.taiOffset),
    gauge('node_timex_pps_frequency_hertz', 'Frequency of the pulse from outside', pulse.frequencyHertz),
    gauge('node_timex_pps_stability_hertz', 'How steady the pulse is', pulse.stabilityHertz),
    gauge('node_timex_pps_jitter_seconds', 'How much the pulse jitters', pulse.jitter),
    gauge('node_timex_pps_shift_seconds', 'Length of the interval between pulses', pulse.shift),
    counter('node_timex_pps_jitter', 'How often the pulse jittered too much', pulse.jitterExceeded),
    counter('node_timex_pps_calibration', 'Calibrations by the pulse', pulse.calibrations),
    counter('node_timex_pps_error', 'Calibrations that failed', pulse.errors),
    counter('node_timex_pps_stability_exceeded', 'How often the pulse was too unsteady', pulse.stabilityExceeded),
  ];
}
