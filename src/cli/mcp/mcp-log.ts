import path from 'node:path';
import { type AuditRecord, countsOf, type Dropped, parseRecords } from '../../access/audit/audit.records.ts';
import { type AuditKind, auditFiles } from '../../access/audit/audit.ts';
import { table } from '../../lib/text-table.ts';
import type { CliContext } from '../context.ts';

/** Of each kind, so that many calls that read do not displace the few that changed something. */
const shown = 200;
const deeds: readonly AuditKind[] = ['consent', 'acting', 'mqtt'];
const kinds: readonly AuditKind[] = [...deeds, 'reading'];

/** What agents did and what they were refused, the latest last; with --all also what they read. */
export function printAgentLog(
  context: Pick<CliContext, 'host' | 'print' | 'isJson' | 'answer' | 'screen'>,
  { all = false }: { all?: boolean },
): void {
  const { print } = context;
  const read = (kind: AuditKind) => ({ kind, records: recordsOf(context, kind) });
  if (context.isJson) return void context.answer(inOrder(kinds.flatMap((kind) => read(kind).records)));
  const chosen = (all ? kinds : deeds).map(read);
  const reads = all ? [] : read('reading').records.filter(isCall);
  const refused = reads.filter(isRefused);
  const rows = inOrder([
    ...chosen.flatMap(({ records }) => records.filter(isCall).slice(-shown)),
    ...refused.slice(-shown),
  ]);
  print(rows.length === 0 ? 'No agent has done anything yet' : table(head, rows.map(toRow), context.screen()));
  for (const { kind, records } of chosen) {
    const dropped = countsOf(records.filter((record) => !isCall(record)));
    if (dropped !== null) print(sentenceOf(kind, dropped));
  }
  const unread = reads.length - refused.length;
  if (unread > 0) print(`${unread} calls that changed nothing are not listed; --all lists the latest of them`);
}

const head = ['TIME', 'AGENT', 'TOKEN', 'TOOL', 'ARGUMENTS', 'AGREED', 'OUTCOME'];

type Call = Exclude<AuditRecord, { dropped: Dropped }>;
const isCall = (record: AuditRecord): record is Call => !('dropped' in record);

const isRefused = ({ decision }: Call) => !/^(done|started|the client has to ask the user)$/.test(decision);

const agreements: Record<string, string> = {
  screen: 'the user, at the screen',
  client: "the agent's program",
  nobody: '–',
};

const toRow = ({ time, client, token, tool, arguments: given, agreed, answered_by, decision }: Call): string[] => [
  time,
  client,
  token,
  tool,
  JSON.stringify(given ?? {}).slice(0, 80),
  agreementIn(agreed, answered_by),
  decision,
];

function agreementIn(agreed: Call['agreed'], by: Call['answered_by']): string {
  if (agreed === undefined) return '-';
  if (by !== undefined) return agreed === 'nobody' ? `denied by ${by}` : by;
  return agreements[agreed] ?? agreed;
}

const kindNames: Record<AuditKind, string> = {
  consent: 'calls that needed consent',
  acting: 'calls that changed something',
  mqtt: 'calls over MQTT that changed something',
  reading: 'calls that changed nothing',
};

function sentenceOf(kind: AuditKind, { calls, from, to, tools }: Dropped): string {
  const each = Object.entries(tools)
    .map(([tool, count]) => `${tool} ${count}`)
    .join(', ');
  return `No longer in this log: ${calls} ${kindNames[kind]}, from ${from} to ${to} (${each})`;
}

function recordsOf({ host: { storage, paths } }: Pick<CliContext, 'host'>, kind: AuditKind): AuditRecord[] {
  const file = path.join(paths.state, auditFiles[kind]);
  return [`${file}.1`, file].flatMap((each) => parseRecords(storage.read(each) ?? ''));
}

/** Stable, so that lines of one moment keep their order. */
const inOrder = <T extends { time: string }>(records: T[]): T[] =>
  records.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
