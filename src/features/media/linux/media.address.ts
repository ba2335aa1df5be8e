/**
 * What in the address of a picture would let others use the server it lies on, by name; null: nothing. Players of Plex, Jellyfin and
 * Subsonic put the key to the whole library into it, and everybody who may read `media` would get it.
 */
export function secretIn({ username, password, pathname, searchParams }: URL): string | null {
  if (username !== '' || password !== '') return 'a user name or password';
  // https://www.subsonic.org/pages/api.jsp: u and p, or u, t and s, stand in every address.
  if (/\/rest\/\w+(\.view)?$/.test(pathname) && searchParams.has('u')) return 'those of Subsonic';
  return [...searchParams.keys()].find((name) => isSecret.test(name))?.slice(0, 40) ?? null;
}

const isSecret = /token|api[-_]?key|auth|passw|passwd|pwd|secret|session|credential|jwt|^(key|sid|sig|pass|x-amz-.*)$/i;
