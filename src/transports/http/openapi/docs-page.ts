import { sha256 } from '../../../lib/digest.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { type AsyncApi, asyncApiOf } from '../../ws/asyncapi.ts';
import { sameOriginOnly } from '../respond.ts';
import { nameIn, schemaFieldsOf, toJson } from './fields.ts';
import { type ShownOperation, sectionsOf } from './openapi.document.ts';
import { type DocumentedService, openApiOf } from './openapi.ts';

/** Both API documents as a page. Made here, without scripts: it works in any browser and asks no other host. */
export async function docsPage(service: DocumentedService): Promise<{ html: string; headers: Record<string, string> }> {
  const document = await openApiOf(service);
  const { info, tags } = document;
  const sections = sectionsOf(document).map(
    ({ name, description, operations }) =>
      `<section><h2 id="${html(name)}">${html(name)}</h2><p>${html(description)}.</p>${operations.map(operationHtml).join('')}</section>`,
  );
  sections.push(webSocketHtml(await asyncApiOf(service)));
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${html(info.title)} ${html(info.version)}: the HTTP and WebSocket interface</title><style>${style}</style></head>
<body><header><h1>${html(info.title)} <small>${html(info.version)}</small></h1><p>${html(info.description)}</p>
<p>Send the token in the header <code>X-API-Token</code>; <code>${html(ownCommand('token'))}</code> prints it. The same as a document: <a href="openapi.json">openapi.json</a>. Data is pushed over <a href="#websocket"><code>/api/websocket</code></a>, and every action is there as well: <a href="asyncapi.json">asyncapi.json</a>.</p>
<nav aria-label="Parts">${[...tags.map(({ name }) => name), 'websocket'].map((name) => `<a href="#${html(name)}">${html(name)}</a>`).join(' ')}</nav></header>
<main>${sections.join('')}</main></body></html>
`;
  return { html: page, headers: pageHeaders };
}

const style = `
:root{font:16px/1.5 system-ui,sans-serif;--line:light-dark(#d5d9e0,#3a4150);--soft:light-dark(#f4f6f9,#1c212b);--accent:light-dark(#0b5cad,#7ab8ff)}
body{margin:0 auto;max-width:60rem;padding:1rem 1rem 4rem;background:light-dark(#fff,#12161d);color:light-dark(#1a1f29,#e4e8ef)}
h1 small{font-weight:400;opacity:.7}h2{margin:2.5rem 0 .25rem;text-transform:capitalize}a{color:var(--accent)}nav a{margin-right:1rem}
details{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;background:var(--soft)}
summary{cursor:pointer;padding:.5rem .75rem;display:flex;gap:.75rem;flex-wrap:wrap;align-items:baseline}
summary b{font:600 .8rem ui-monospace,monospace;min-width:4rem;color:var(--accent)}summary code{font-weight:600}summary span{opacity:.8}
.in{padding:0 .75rem .75rem;overflow-x:auto}code{font-family:ui-monospace,monospace;font-size:.9em}
table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:.75rem 0 .25rem}td:first-child{white-space:nowrap}
@media(max-width:40rem){td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:6rem}}`;

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${sha256(style).toString('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
  ...sameOriginOnly,
};

function operationHtml(operation: ShownOperation): string {
  const { method, path, summary, description, needsToken, example } = operation;
  const parts = [
    description && `<p>${html(description)}${needsToken ? '.' : ''}</p>`,
    needsToken ? '' : '<p>No token is needed.</p>',
    part('Query', operation.query),
    part('Body', operation.body),
    example === undefined ? '' : `<p>For example: <code>${html(example)}</code></p>`,
    part('Answer', operation.answer),
    part('Statuses', operation.statuses),
  ];
  return `<details id="${html(`${method}-${path}`)}"><summary><b>${method}</b><code>${html(path)}</code><span>${html(summary)}</span></summary><div class="in">${parts.join('')}</div></details>`;
}

/** The events of a client, each with its reply. */
function webSocketHtml({ info, operations, components: { messages, schemas } }: AsyncApi): string {
  const rowsOf = (message: string) =>
    schemaFieldsOf(toJson(toJson(messages[message]?.payload.properties).data), schemas);
  const events = Object.entries(operations).flatMap(([event, { summary, description = '', reply }]) => {
    const [answer] = reply?.messages ?? [];
    if (answer === undefined) return [];
    const name = nameIn(answer);
    return `<details id="${event}"><summary><code>${event}</code>→ <code>${name}</code><span>${html(summary)}</span></summary><div class="in"><p>${html(description)}</p>${part('Data', rowsOf(event))}${part('Answer', rowsOf(name))}</div></details>`;
  });
  const about = String(info.description)
    .split('\n\n')
    .map((paragraph) => `<p>${html(paragraph)}</p>`);
  return `<section><h2 id="websocket">WebSocket</h2>${about.join('')}${events.join('')}</section>`;
}

/** undefined: there is no such part. */
function part(title: string, rows: string[][] | undefined): string {
  if (rows === undefined) return '';
  const cells = rows.map(
    ([name = '', type = '', text = '']) =>
      `<tr><td><code>${html(name)}</code></td><td>${html(type)}</td><td>${html(text)}</td></tr>`,
  );
  return `<h3>${title}</h3>${cells.length === 0 ? '<p>No fields.</p>' : `<table>${cells.join('')}</table>`}`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const html = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
