import type { ComponentChildren } from 'preact';
import { Card } from '../../components/card.tsx';
import { basePath } from '../../state/base-path.ts';
import { useLoaded } from '../../state/loaded.ts';
import { ownCommand } from '../../state/own-command.ts';
import { exchangesOf, operationsOf, type Part } from './documents.ts';

export function Api() {
  const { origin } = location;
  return (
    <>
      <div class="cards">
        <Card title="HTTP" icon="braces">
          <pre>{`printf 'X-API-Token: %s\\n' "$(${ownCommand('token')})" |\n  curl -H @- ${origin}/api/data/cpu`}</pre>
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
      <Entries
        label="Routes"
        title="HTTP routes"
        url="/api/openapi.json"
        read={operationsOf}
        show={({ method, path, summary, description, parts }) => ({
          key: `${method} ${path}`,
          heading: (
            <>
              <b>{method}</b> <code>{path}</code> <span class="quiet">{summary}</span>
            </>
          ),
          text: description,
          parts,
        })}
      />
      <Entries
        label="Events"
        title="WebSocket events"
        url="/api/asyncapi.json"
        read={exchangesOf}
        show={({ event, reply, summary, description, data, result }) => ({
          key: event,
          heading: (
            <>
              <code>{event}</code> → <code>{reply}</code> <span class="quiet">{summary}</span>
            </>
          ),
          text: description,
          parts: [
            { title: 'Data', fields: data },
            { title: 'Answer', fields: result },
          ],
        })}
      />
    </>
  );
}

interface EntriesProps<T> {
  label: string;
  title: string;
  url: string;
  read(document: never): T[];
  show(entry: T): { key: string; heading: ComponentChildren; text: string; parts: readonly Part[] };
}

/** The entries of a document, each with its fields on demand. */
function Entries<T>({ label, title, url, read, show }: EntriesProps<T>) {
  const load = async () => read((await (await fetch(basePath + url)).json()) as never);
  return (
    <section aria-label={label}>
      <h2 class="section">{title}</h2>
      {useLoaded(load).data?.map((entry) => {
        const { key, heading, text, parts } = show(entry);
        return (
          <details key={key} class="card">
            <summary>{heading}</summary>
            <p>{text}</p>
            {parts.map((part) => (
              <FieldTable key={part.title} {...part} />
            ))}
          </details>
        );
      })}
    </section>
  );
}

/** Fields of a payload, as rows. */
function FieldTable({ title, fields }: Part) {
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
