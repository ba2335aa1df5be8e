import { basicAuth, originOf } from './address.ts';
import type { TargetNote } from './note.ts';
import { defineTarget } from './target.ts';

const types = { begun: 'warning', ended: 'success', test: 'info' };

/** Anything else: JSON in the form of Apprise, or the body of the settings with its placeholders replaced. */
export const jsonTarget = defineTarget({
  form: 'jsons://[USER:PASSWORD@]HOST[:PORT][/PATH][?method=PUT&+HEADER=VALUE]; other parameters stay in the address',
  // Those that Apprise knows begin with a sign.
  parameters: ['*'],
  server: ({ authority }) => authority,
  open(address) {
    const { scheme, user, password, path, query } = address;
    const method = query.get('method')?.toUpperCase() ?? 'POST';
    if (method !== 'POST' && method !== 'PUT') throw new Error('its method must be POST or PUT');
    const own: Record<string, string> = {};
    const search = new URLSearchParams();
    for (const [name, value] of query)
      if (name.startsWith('+')) own[name.slice(1)] = value;
      else if (name !== 'method') search.set(name, value);
    try {
      new Headers(own);
    } catch {
      // The runtime's sentence contains the value.
      throw new Error('one of its headers is not valid');
    }
    const where = `${originOf(address, scheme === 'jsons')}/${path.map(encodeURIComponent).join('/')}`;
    const url = search.size === 0 ? where : `${where}?${search}`;
    const authorization: Record<string, string> = user === '' ? {} : { Authorization: basicAuth(user, password) };
    const type = Object.entries(own).find(([name]) => /^content-type$/i.test(name))?.[1] ?? 'json';
    return (note, { ask, body }) =>
      ask({
        method,
        url,
        headers: { ...authorization, ...own },
        body: body === '' ? likeApprise(note) : filled(body, note, escapeFor(type)),
      });
  },
});

const likeApprise = ({ title, text, kind, priority }: TargetNote) => ({
  version: '1.0',
  title,
  message: text,
  attachments: [],
  type: kind === 'begun' && (priority === 'high' || priority === 'urgent') ? 'failure' : types[kind],
});

/** A value must not end its place in the body: the quotes of JSON, the field of a form, the element of HTML or XML. */
function escapeFor(contentType: string): (value: string) => string {
  if (/json/i.test(contentType)) return (value) => JSON.stringify(value).slice(1, -1);
  if (/x-www-form-urlencoded/i.test(contentType)) return (value) => encodeURIComponent(value.toWellFormed());
  if (/html|xml/i.test(contentType)) return (value) => value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return (value) => value;
}

/** Replaces `{{title}}` and the like. */
function filled(
  template: string,
  { title, text, kind, priority, machine, at, messages }: TargetNote,
  escaped: (value: string) => string,
): string {
  const alert = messages[0]?.alert;
  const values: Record<string, string> = {
    title,
    message: text,
    type: kind,
    priority,
    machine,
    time: new Date(at).toISOString(),
    since: new Date(alert?.since ?? at).toISOString(),
    rule: alert?.id ?? '',
    value: alert?.value?.toString() ?? 'null',
  };
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? whole : escaped(value);
  });
}
