import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { basePath } from '../../state/base-path.ts';
import { ownCommand } from '../../state/own-command.ts';
import type { FieldRow } from './documents.ts';
import { type Exchange, exchangesOf, type Operation, operationsOf } from './documents.ts';

/** The API documents. */
export function Api() {
  const { origin } = location;
  return (
    <>
      <div class="cards">
        <Card title="HTTP" icon="braces">
          <pre>{`curl -H "X-API-Token: $(${ownCommand('token')})" \\\n  ${origin}/api/data/cpu`}</pre>
          <p class="small">
            <a href={`${basePath}/api/openapi.json`}>OpenAPI 3.1 document</a>,{' '}
            <a href={`${basePath}/api/docs`}>API reference</a>
          </p>
        </Card>
        <Card title="WebSocket" icon="plug">
          <pre>{`${origin.replace(/^http/, 'ws')}/api/websocket\n{"token":"…","id":"1","event":"REGISTER_DATA_LISTENER",\n "data":{"modules":["cpu"]}}`}</pre>
          <p class="small">
            <a href={`${basePath}/api/asyncapi.json`}>AsyncAPI 3 document</a>
          </p>
        </Card>
      </div>
      <Operations />
      <Exchanges />
    </>
  );
}

function Operations() {
  const operations = useDocument('/api/openapi.json', operationsOf);
  return (
    <section aria-label="Routes">
      <h2 class="section">HTTP routes</h2>
      {operations.map(({ method, path, summary, description, parts }: Operation) => (
        <details key={`${method} ${path}`} class="card">
          <summary>
            <b>{method}</b> <code>{path}</code> <span class="quiet">{summary}</span>
          </summary>
          <p>{description}</p>
          {parts.map(({ title, fields }) => (
            <FieldTable key={title} title={title} fields={fields} />
          ))}
        </details>
      ))}
    </section>
  );
}

function Exchanges() {
  const exchanges = useDocument('/api/asyncapi.json', exchangesOf);
  return (
    <section aria-label="Events">
      <h2 class="section">WebSocket events</h2>
      {exchanges.map(({ event, reply, summary, description, data, result }: Exchange) => (
        <details key={event} class="card">
          <summary>
            <code>{event}</code> → <code>{reply}</code> <span class="quiet">{summary}</span>
          </summary>
          <p>{description}</p>
          <FieldTable title="Data" fields={data} />
          <FieldTable title="Answer" fields={result} />
        </details>
      ))}
    </section>
  );
}

function useDocument<T>(url: string, read: (document: never) => T[]): T[] {
  const entries = useSignal<T[]>([]);
  useEffect(() => {
    fetch(basePath + url).then(
      async (response) => {
        entries.value = read((await response.json()) as never);
      },
      () => {},
    );
  }, []);
  return entries.value;
}

/** Fields of a payload, as rows. */
function FieldTable({ title, fields }: { title: string; fields: readonly FieldRow[] }) {
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scrolls" tabIndex={0} aria-label={title}>
        <table class="fields">
          <tbody>
            {fields.map(({ name, type, text }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                </td>
                <td>{type}</td>
                <td class="wrap">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
