import { useSignal } from '@preact/signals';
import { Card } from '../components/card.tsx';
import { confirmed } from '../components/confirm.tsx';
import { Field } from '../components/field.tsx';
import { Table } from '../components/table.tsx';
import { attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { answerTo, useLoaded } from '../state/loaded.ts';

/** See alertTargetsOutputSchema of the service. */
interface Targets {
  changeable: boolean;
  targets: { id: string; url: string | null; rules: string[] }[];
}

/** The services that receive alerts, with a form for a new one. Their URLs are secret: they are sent once and never come back. */
export function AlertTargets() {
  const [id, url] = [useSignal(''), useSignal('')];
  const why = obstacle('GET_ALERT_TARGETS');
  const load = async () => (why === null ? await answerTo<Targets>('GET_ALERT_TARGETS') : null);
  const { data, problem, refresh } = useLoaded(load, { on: [why] });
  if (problem !== '') return <p class="problem">{problem}</p>;
  if (why !== null || data === null) return null;
  const { changeable, targets } = data;
  const add = async (event: Event) => {
    event.preventDefault();
    const given = { id: id.value.trim(), url: url.value.trim() };
    if (await attempt(() => request('ADD_ALERT_TARGET', given))) id.value = url.value = '';
    await refresh();
  };
  const remove = async (name: string) => {
    if (!(await confirmed(`Remove ${name}?`, 'Its URL is removed as well.', 'Remove'))) return;
    await attempt(() => request('REMOVE_ALERT_TARGET', { id: name }));
    await refresh();
  };
  return (
    <Card title="Where alerts are sent" icon="bell" wide>
      {targets.length === 0 ? null : (
        <Table
          class="phone-rows"
          rows={targets}
          rowKey={(target) => target.id}
          columns={[
            { title: 'Name', show: (target) => target.id },
            {
              title: 'Service',
              kind: 'wrap',
              show: (target) => target.url ?? <span class="problem">its URL is missing</span>,
            },
            { title: 'Rules', kind: 'wrap', show: ({ rules }) => (rules.length === 0 ? 'none' : rules.join(', ')) },
            {
              title: 'Actions',
              kind: 'actions',
              show: ({ id: name }) => (
                <>
                  <TestButton id={name} label={`Send a test to ${name}`} />{' '}
                  {changeable ? (
                    <button
                      type="button"
                      class="danger plain"
                      aria-label={`Remove ${name}`}
                      onClick={() => remove(name)}
                    >
                      Remove
                    </button>
                  ) : null}
                </>
              ),
            },
          ]}
        />
      )}
      {changeable ? (
        <form class="form" onSubmit={add}>
          <Field label="Name, for the rules" value={id} placeholder="phone" required />
          <Field label="URL of the service" kind="secret" value={url} placeholder="ntfys://ntfy.sh/TOPIC" required />
          <p class="small">
            The forms of Apprise: ntfy, Gotify, Telegram, Slack, Discord, Matrix, Pushover, mailtos and jsons. The URL
            is not shown again. A name that is in the list gets a new URL.
          </p>
          <button type="submit">Add</button>
        </form>
      ) : (
        <p class="small">Services can be added and removed only on the machine itself.</p>
      )}
    </Card>
  );
}

/** Of a rule or a target. */
export const TestButton = ({ id, label }: { id: string; label: string }) => (
  <button type="button" class="plain" aria-label={label} onClick={() => attempt(() => testAlert(id))}>
    Send a test
  </button>
);

/** Throws if a message was not accepted. */
async function testAlert(id: string): Promise<{ message: string }> {
  const { data } = await request('TEST_ALERT', { id }, { timeoutMs: patienceMs });
  const { results } = data as { results: { way: string; error: string | null }[] };
  const message = results.map(({ way, error }) => `${wayTitle(way)}: ${error ?? 'sent'}`).join('. ');
  if (results.some(({ error }) => error !== null)) throw new Error(message);
  return { message };
}

const wayTitles: Record<string, string> = { screen: 'Screen', mqtt: 'MQTT' };
export const wayTitle = (way: string) => wayTitles[way] ?? way;

/** Receivers may be slow. */
const patienceMs = 30_000;
