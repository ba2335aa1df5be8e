/** Replaces the parts of a URL that may be secret. */
const mask = '…';

/** Scheme and host of a URL. User name, password, path and query may each be enough to use it. */
export function maskUrl(url: string): string {
  if (!URL.canParse(url)) return url === '' ? '' : mask;
  const { protocol, host, username, password, pathname, search, hash } = new URL(url);
  const isBare = username + password + search + hash === '' && /^\/?$/.test(pathname);
  return isBare ? url : `${protocol}//${host}/${mask}`;
}

export const isMaskedUrl = (url: string) => url === mask || hrefOf(url).endsWith(`/${encodeURIComponent(mask)}`);

/** Whether `given` is what maskUrl() returns for `url`, as it is or as a client has normalised it. */
export const isMaskOf = (given: string, url: string) => isMaskedUrl(given) && hrefOf(given) === hrefOf(maskUrl(url));

/** Masks every URL in a text that names a host. */
export const maskUrlsIn = (text: string) =>
  text.replace(/\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#"'<>`][^\s"'<>`]*/gi, maskFound);

/** Punctuation at the end belongs to the sentence. */
function maskFound(found: string): string {
  let end = found.length;
  while (end > 0 && '.,;:!?)]}'.includes(found.charAt(end - 1))) end -= 1;
  return maskUrl(found.slice(0, end)) + found.slice(end);
}

const hrefOf = (url: string) => (URL.canParse(url) ? new URL(url).href : url);

/** URLs lose everything after their host, and long random words are removed, also from paths. */
export const withoutSecrets = (line: string) =>
  maskUrlsIn(line).replace(
    /(?<![A-Za-z0-9+_-])(?=[A-Za-z0-9+_-]*\d)(?=[A-Za-z0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{32,}(?![A-Za-z0-9+_-])/g,
    '(left out)',
  );
