import { originOf } from './address.ts';
import { defineTarget } from './target.ts';

const priorities = { low: 1, normal: 5, high: 8, urgent: 10 };

/** https://gotify.net/api-docs: POST /message */
export const gotifyTarget = defineTarget({
  form: 'gotifys://HOST[:PORT]/[PATH/]TOKEN',
  server: ({ authority }) => authority,
  open(address) {
    const token = address.path.at(-1);
    if (token === undefined) throw new Error('the token of the application is missing');
    const below = address.path.slice(0, -1).map((part) => `/${encodeURIComponent(part)}`);
    const url = `${originOf(address, address.scheme === 'gotifys')}${below.join('')}/message`;
    return ({ title, text, priority }, { ask }) =>
      ask({ url, headers: { 'X-Gotify-Key': token }, body: { title, message: text, priority: priorities[priority] } });
  },
});
