import { gauge, type Metric, metricsOfEach } from '../../../core/readings/metrics.ts';

type DiskArray = ReturnType<typeof parseArrays>[number];

const states = ['active', 'inactive', 'recovering', 'resync', 'check'] as const;

/** RAID arrays of the kernel (md) of any level, from /proc/mdstat. https://raid.wiki.kernel.org/index.php/Mdstat */
export function arrayMetrics(mdstat: string): Metric[] {
  const arrays = parseArrays(mdstat);
  if (arrays.length === 0) return [];
  return [
    gauge(
      'node_md_disks',
      'Disks of an array by state',
      arrays.flatMap(({ device, up, failed, spare }) => [
        [{ device, state: 'active' }, up],
        [{ device, state: 'failed' }, failed],
        [{ device, state: 'spare' }, spare],
      ]),
    ),
    ...metricsOfEach(
      'gauge',
      arrays.map((array) => [{ device: array.device }, array]),
      [
        ['node_md_disks_required', 'Disks an array consists of when it is complete', ({ required }) => required],
        ['node_md_blocks', 'Size of an array in blocks', ({ blocks }) => blocks],
        ['node_md_blocks_synced', 'Blocks that are in sync', ({ synced }) => synced],
      ],
    ),
    gauge(
      'node_md_state',
      'The state of an array: 1 for the one it is in',
      arrays.flatMap((array) => states.map((state) => [{ device: array.device, state }, state === stateOf(array)])),
    ),
  ];
}

const stateOf = ({ isActive, activity }: DiskArray) => activity ?? (isActive ? 'active' : 'inactive');

/** `md0 : active raid1 sdb1[1](F) sda1[0]`, then `1048512 blocks [2/1] [U_]`, then perhaps `recovery = 8.5% (89/1048512)`. */
function parseArrays(mdstat: string) {
  return mdstat.split(/\n(?=md\S* :)/).flatMap((part) => {
    const [, device, state = '', members = ''] = /^(md\S*) : (\S+)(.*)/.exec(part) ?? [];
    if (device === undefined) return [];
    const blocks = Number(/(\d+) blocks/.exec(part)?.[1] ?? 0);
    const [, required, up] = /\[(\d+)\/(\d+)\]/.exec(part) ?? [];
    const count = (mark: RegExp) => members.match(mark)?.length ?? 0;
    const [failed, spare] = [count(/\(F\)/g), count(/\(S\)/g)];
    const plain = count(/\S+\[\d+\]/g) - failed - spare;
    const [, word, synced] = /(recovery|resync|reshape|check)\s*=\s*\S+\s*\((\d+)\/\d+\)/.exec(part) ?? [];
    return [
      {
        device,
        isActive: state === 'active',
        // Arrays without redundancy need all their drives.
        required: Number(required ?? plain),
        up: Number(up ?? plain),
        failed,
        spare,
        blocks,
        activity: activityOf(word),
        synced: Number(synced ?? blocks),
      },
    ];
  });
}

/** The operation in progress; null: none. */
function activityOf(word: string | undefined) {
  if (word === undefined) return null;
  return word === 'resync' || word === 'check' ? word : 'recovering';
}
