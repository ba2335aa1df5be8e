import type { ModulePayloads } from '@hostler/client/client.ts';
import { arrayWords, disksInTrouble, isFailing, isImpaired } from '../../../src/lib/disk-problems.ts';
import { Card } from '../../components/card.tsx';
import { type Fact, Facts, Pairs } from '../../components/fact-list.tsx';
import { Meter } from '../../components/figures.tsx';
import { Icon } from '../../components/icon.tsx';
import { Unknown } from '../../components/reasons.tsx';
import { When } from '../../components/time.tsx';
import { celsius, percent } from '../../units.ts';

type Disks = ModulePayloads['disks'];
type Health = NonNullable<Disks['devices'][number]['health']>;
export type StorageArray = Disks['arrays'][number];

export function Troubles({ disks: { devices, arrays } }: { disks: Disks }) {
  const sentences = disksInTrouble(devices, arrays);
  if (sentences.length === 0) return null;
  return (
    <section class="card wide trouble" role="alert">
      {sentences.map((sentence) => (
        <p key={sentence}>
          <Icon name="warning" /> {sentence}.
        </p>
      ))}
      <p class="small">Make sure you have a backup, then replace the affected drive.</p>
    </section>
  );
}

export function DriveHealth({ health }: { health: Health }) {
  const facts: Fact[] = [
    ['Powered on for', health.power_on_hours === null ? null : hours(health.power_on_hours)],
    ['Wear', health.percentage_used === null ? null : percent(health.percentage_used)],
    ['Replaced sectors', health.reallocated],
    ['Unreadable sectors', health.pending],
    ['Unrecovered errors', health.media_errors],
    ['Temperature', health.temperature === null ? null : celsius(health.temperature)],
  ];
  return (
    <div class="health">
      <h3>Health</h3>
      <Verdict isBad={isFailing(health)} text={verdict(health)} />
      <Facts of={facts} />
      <p class="small">
        Read <When at={health.read_at * 1000} />
      </p>
    </div>
  );
}

const Verdict = ({ isBad, text }: { isBad: boolean; text: string }) => (
  <p class={isBad ? 'verdict bad' : 'verdict'}>
    {isBad ? <Icon name="warning" /> : null}
    <span>{text}</span>
  </p>
);

const warningWords: Record<string, string> = {
  spare: 'few spare blocks left',
  temperature: 'too hot or too cold',
  reliability: 'errors make it unreliable',
  read_only: 'read-only',
  volatile_memory: 'the backup of its cache failed',
  persistent_memory: 'its persistent memory is read-only',
};

function verdict({ passed, critical_warnings, pending }: Health): string {
  const said = critical_warnings.map((word) => warningWords[word] ?? word.replaceAll('_', ' '));
  if (passed === false || said.length > 0) return ['Failing', said.join(', ')].filter(Boolean).join(': ');
  if (pending !== null && pending > 0) return 'Works, with sectors that cannot be read';
  return passed === true ? 'Healthy' : 'Unknown: the drive does not report it';
}

/** A year has 8766 hours. */
const hours = (value: number) =>
  value < 8766 ? `${value} h` : `${(value / 8766).toFixed(1)} ${value < 8766 * 1.05 ? 'year' : 'years'}`;

const kinds = { md: 'RAID', lvm: 'LVM', zfs: 'ZFS', btrfs: 'btrfs' };
const states = { ok: 'Complete', degraded: 'Degraded', failed: 'Failed', inactive: 'Not in use' };

export const arrayTitle = ({ kind, name }: StorageArray): string => `${kinds[kind]} ${name}`;

export function ArrayCard({ array }: { array: StorageArray }) {
  const { kind, level, state, activity, missing, members, volumes } = array;
  const facts = [arrayWords[kind], level ?? '', missing !== null && missing > 0 ? `${missing} missing` : ''];
  return (
    <Card title={arrayTitle(array)} icon="disk">
      <p class="facts">{facts.filter(Boolean).join(' · ')}</p>
      {state === null ? null : <Verdict isBad={isImpaired(array) === true} text={states[state]} />}
      {activity === null ? null : (
        <Meter
          label={activity.action}
          value={activity.percent}
          text={activity.percent === null ? 'in progress' : percent(activity.percent, 1)}
        />
      )}
      <Pairs of={members.map((member) => ({ key: member.name, name: member.name, value: memberText(member) }))} />
      {volumes.length === 0 ? null : <p class="small">Volumes: {volumes.join(', ')}</p>}
      <Unknown module="disks" of={[['state', 'arrays[].state', state]]} />
    </Card>
  );
}

function memberText({ state, errors }: StorageArray['members'][number]): string {
  if (errors === null || errors === 0) return state;
  return `${state}, ${errors} ${errors === 1 ? 'error' : 'errors'}`;
}
