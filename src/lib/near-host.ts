/** Of a name in DNS. */
const longestName = 253;

/** Whether a server is on this machine or in its own network, judged by the text of its name. */
export function isNear(hostname: string): boolean {
  const name = hostname.toLowerCase();
  if (name.length > longestName) return false;
  if (name.startsWith('[')) return /^\[(?:::1|f[cd][\da-f]{2}:.*|fe[89ab][\da-f]:.*)\]$/.test(name);
  if (/^(?:127|10)(?:\.\d{1,3}){3}$|^192\.168(?:\.\d{1,3}){2}$/.test(name)) return true;
  if (
    /^172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}$|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2}$/.test(name)
  )
    return true;
  return /^(?:[a-z\d-]*[a-z][a-z\d-]*|.+\.(?:local|lan|home|home\.arpa|internal|localdomain))$/.test(name);
}
