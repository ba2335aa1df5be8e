/** https://man7.org/linux/man-pages/man5/resolv.conf.5.html: the last search or domain line counts. */
export function parseSearchDomains(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().split(/\s+/));
  const last = lines.findLast(([keyword]) => keyword === 'search' || keyword === 'domain');
  return (last?.slice(1) ?? [])
    .map((domain) => domain.toLowerCase().replace(/^\.|\.$/g, ''))
    .filter((domain) => domain !== '');
}
