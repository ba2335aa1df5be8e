import { type Signal, signal } from '@preact/signals';
import type { CommandOutput } from '../../src/features/command/command.schema.ts';
import { messageOf } from '../../src/lib/errors.ts';
import type { Settings } from '../../src/settings/settings.schema.ts';
import { Card } from '../components/card.tsx';
import { OutputText } from '../components/details-pane.tsx';
import { Empty } from '../components/empty.tsx';
import { announce } from '../shell/announcements.tsx';
import { Link } from '../shell/route.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { answerTo, useLoaded } from '../state/loaded.ts';

type Command = Settings['commands']['allowlist'][number];

/** The run of one command; it continues when another view is opened. */
interface Run {
  running: Signal<boolean>;
  output: Signal<string>;
  result: Signal<string>;
}

/** Longer than any command may take. */
const patienceMs = 330_000;
const maxCharacters = 200_000;
const runs = new Map<string, Run>();

export function Commands() {
  const { data, problem } = useLoaded(() => answerTo<Settings>('GET_SETTINGS'));
  if (problem !== '') return <p class="problem">{problem}</p>;
  if (data === null) return <p class="quiet">Loading…</p>;
  const { allowlist } = data.commands;
  if (allowlist.length === 0)
    return (
      <Empty icon="terminal" sentence="No command is allowed yet.">
        Add one under <Link to="/settings?setting=commands.allowlist">Settings, Allowed actions</Link>, on the machine
        itself.
      </Empty>
    );
  const reason = obstacle('COMMAND_EXECUTE');
  return (
    <>
      {reason === null ? null : <p class="notice">{reason}</p>}
      <div class="cards">
        {allowlist.map((command) => (
          <CommandCard key={command.id} command={command} disabled={reason !== null} />
        ))}
      </div>
    </>
  );
}

function CommandCard({ command, disabled }: { command: Command; disabled: boolean }) {
  const run = runOf(command.id);
  return (
    <Card title={command.name} icon="terminal" wide={run.output.value !== ''}>
      <p class="small">
        <code>{[command.command, ...command.arguments].join(' ')}</code>
      </p>
      <p class="buttons">
        <button type="button" disabled={run.running.value || disabled} onClick={() => start(command, run)}>
          {run.running.value ? 'Running…' : 'Run'}
        </button>
        <span role="status">{run.result.value}</span>
      </p>
      {run.output.value === '' ? null : <OutputText label={`Output of ${command.name}`} text={run.output.value} />}
    </Card>
  );
}

function runOf(id: string): Run {
  const run = runs.get(id) ?? { running: signal(false), output: signal(''), result: signal('') };
  runs.set(id, run);
  return run;
}

async function start({ id, name }: Command, { running, output, result }: Run): Promise<void> {
  running.value = true;
  output.value = '';
  result.value = '';
  const onMessage = (type: string, data: unknown) => {
    if (type === 'COMMAND_OUTPUT')
      output.value = (output.value + (data as { text: string }).text).slice(-maxCharacters);
  };
  try {
    const options = { timeoutMs: patienceMs, onMessage };
    const { data } = await request('COMMAND_EXECUTE', { commandID: id, stream: true }, options);
    const { exitCode, error } = data as CommandOutput;
    result.value = error ?? `Exited with code ${exitCode}`;
  } catch (thrown) {
    result.value = messageOf(thrown);
    announce(`${name}: ${result.value}`, 'problem');
  }
  running.value = false;
}
