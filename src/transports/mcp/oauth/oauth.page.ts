import type { AuthorisationRequest } from '../../../access/oauth/oauth.ts';
import type { Scopes } from '../../../access/scopes.ts';
import { randomBytes } from '../../../lib/digest.ts';
import { sameOriginOnly } from '../../http/respond.ts';
import { escaped } from '../../http/routes/login-page.ts';

/** Shows who asks for what. Its button opens the prompt on the machine; the page itself grants nothing. */
export function consentPage({ client, redirectUri, scopes }: AuthorisationRequest, { gravest, of }: Scopes): Response {
  const wanted = gravest.filter((scope) => scopes.includes(scope));
  return page(
    200,
    `<h1>An agent asks for access</h1>
<p>A program that calls itself <strong>${escaped(client.name)}</strong> wants to use this machine as an agent. The access goes to <strong>${escaped(new URL(redirectUri).host)}</strong>.</p>
<ul>${wanted.map((scope) => `<li>${escaped(of(scope).description)}</li>`).join('')}</ul>
<p>Continue only if you started this. You then confirm it on the machine itself.</p>
<p><button id="ask">Continue</button></p>
<p id="said" role="status"></p>
<noscript>This page needs JavaScript.</noscript>`,
    script,
  );
}

export const refusalPage = (sentence: string): Response => page(400, `<h1>Hostler</h1><p>${escaped(sentence)}.</p>`);

function page(status: number, body: string, code = ''): Response {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hostler</title>
<style nonce="${nonce}">:root{color-scheme:light dark}body{font:1rem/1.5 system-ui;max-width:36rem;margin:3rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1.5rem}.digits{font-size:2rem}</style>
${body}
${code === '' ? '' : `<script nonce="${nonce}">${code}</script>`}
</html>
`;
  return new Response(html, { status, headers: { ...headers, 'Content-Security-Policy': policy } });
}

/** Without an opener policy: clients that open this page in a window of their own lose it otherwise. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  ...sameOriginOnly,
};

/** Opens the prompt, shows its digits and asks for the answer each second. The claim never leaves this page and the service. */
const script = `
const button = document.getElementById('ask');
const said = document.getElementById('said');
const post = async (path, body) => {
  const response = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error_description ?? answer.error);
  return answer;
};
button.onclick = async () => {
  button.disabled = true;
  try {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const claim = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const { id, digits } = await post('authorize', { query: location.search.slice(1), claim });
    said.innerHTML = 'Confirm it on the machine: on its screen, in its dashboard or with its command <code>approve</code>. The prompt there shows this code:<br><strong class="digits"></strong>';
    said.lastChild.textContent = digits;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { location: next, refused } = await post('answer', { id, claim });
      if (next === null) continue;
      if (refused === null) return location.replace(next);
      said.textContent = refused + '. ';
      const link = said.appendChild(document.createElement('a'));
      link.href = next;
      link.textContent = 'Return to ' + new URL(next).host;
      return;
    }
  } catch (error) {
    said.textContent = error.message;
    button.disabled = false;
  }
};
`;
