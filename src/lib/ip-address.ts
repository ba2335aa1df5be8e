/** null: neither an IPv4 nor an IPv6 address. */
export function addressBytes(text: string): Uint8Array | null {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return new Uint8Array(text.split('.').map(Number));
  const halves = text.split('::');
  if (!/^[0-9a-f:]+$/i.test(text) || halves.length > 2) return null;
  const [head = [], tail = []] = halves.map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = halves.length === 2 ? Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0') : [];
  const groups = [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
  return groups.length === 8 ? new Uint8Array(groups.flatMap((group) => [group >> 8, group & 0xff])) : null;
}
