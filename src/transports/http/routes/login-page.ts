import { randomBytes } from '../../../lib/digest.ts';
import { sameOriginOnly } from '../respond.ts';

/** The storage key of the code for the dashboard; see web/state/session.ts. */
const loginCodeKey = 'hostler-login-code';

/** The page of `hostler open` posts its code here. */
export const loginPagePath = '/api/login/page';

/** The file that a browser opens: it posts the code, which keeps it out of addresses and argument lists. */
export function loginFile(base: string, code: string): string {
  return page(
    `form-action ${base}; script-src 'nonce-open'`,
    `<form method="post" action="${base}${loginPagePath}"><input type="hidden" name="code" value="${code}"><button>Open Hostler</button></form>
<script nonce="open">document.forms[0].submit()</script>`,
  );
}

/** The response: a page of our own origin that stores the code for the dashboard, in this tab only, and redirects. */
export function loginHandOver(code: string): Response {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const script = `sessionStorage.setItem(${JSON.stringify(loginCodeKey)}, ${JSON.stringify(code)}); location.replace('../../');`;
  const html = page(
    null,
    `<p>Signing in…</p><noscript>The dashboard needs JavaScript.</noscript>\n<script nonce="${nonce}">${script}</script>`,
  );
  return new Response(html, { headers: { ...headers, ...clearsCache, 'Content-Security-Policy': policy } });
}

/** Another program that had the port before may have left pages and scripts of this origin in the browser's cache. */
export const clearsCache = { 'Clear-Site-Data': '"cache"' };

/** A refusal as a page. */
export function loginRefusal(status: number, sentence: string): Response {
  const html = page(null, `<h1>Hostler</h1><p>${escaped(sentence)}</p><p><a href="../../">Sign in</a></p>`);
  const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return new Response(html, { status, headers: { ...headers, 'Content-Security-Policy': policy } });
}

function page(policy: string | null, body: string): string {
  const meta =
    policy === null ? '' : `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${policy}">\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
${meta}<title>Hostler</title>
${body}
</html>
`;
}

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The opener policy of the dashboard: with another one the browser would not carry the code over. */
const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  ...sameOriginOnly,
};
