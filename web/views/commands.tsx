import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { CommandOutput } from '../../src/actions/command/command.schema.ts';
import type { Settings } from '../../src/settings/settings.schema.ts';
import { announce } from '../parts/announce.tsx';
import { Card } from '../parts/card.tsx';
import { obstacle } from '../state/actions.ts';
import { request } from '../state/live.ts';

type Command = Settings['commands']['allowlist'][number];

/** Longer than any command may take. */
const patienceMs = 330_000;
const keptCharacters = 200_000;

export function Commands() {
  const commands = useSignal<Command[] | null>(null);
  const problem = useSignal('');
  useEffect(() => {
    request('GET_SETTINGS').then(
      ({ data }) => {
        commands.value = (data as Settings).commands.allowlist;
      },
      (thrown) => {
        problem.value = thrown.message;
      },
    );
  }, []);
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
  if (commands.value === null) return <p class="quiet">Loading…</p>;
  if (commands.value.length === 0) return <p>{obstacle('COMMAND_EXECUTE') ?? 'No command is allowed yet.'}</p>;
  return (
    <div class="cards">
      {commands.value.map((command) => (
        <CommandCard key={command.id} command={command} />
      ))}
    </div>
  );
}

function CommandCard({ command }: { command: Command }) {
  const output = useSignal('');
  const result = useSignal('');
  const running = useSignal(false);
  const add = (text: string) => {
    output.value = (output.value + text).slice(-keptCharacters);
  };
  const run = async () => {
    running.value = true;
    output.value = '';
    result.value = '';
    try {
      const { data } = await request(
        'COMMAND_EXECUTE',
        { commandID: command.id, stream: true },
        {
          timeoutMs: patienceMs,
          onMessage(type, told) {
            if (type === 'COMMAND_OUTPUT') add((told as { text: string }).text);
          },
        },
      );
      const { exitCode, error } = data as CommandOutput;
      result.value = error ?? `Ended with ${exitCode}`;
    } catch (thrown) {
      result.value = thrown instanceof Error ? thrown.message : String(thrown);
      announce(result.value, 'problem');
    }
    running.value = false;
  };
  const reason = obstacle('COMMAND_EXECUTE');
  return (
    <Card title={command.name}>
      <p class="small">
        <code>{[command.command, ...command.arguments].join(' ')}</code>
      </p>
      <p>
        <button type="button" disabled={running.value || reason !== null} onClick={run}>
          {running.value ? 'Running…' : 'Run'}
        </button>{' '}
        <span role="status">{result.value}</span>
      </p>
      {output.value === '' ? null : <pre class="output">{output.value}</pre>}
    </Card>
  );
}
