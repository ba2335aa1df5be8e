/** The number of an IPv4 address; null: invalid. */
export function ipv4Number(text: string): number | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return null;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}

export const ipv4Words = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** The broadcast address of this network; null: none, as with two addresses. */
export function networkBroadcast(address: string, netmask: string): string | null {
  const [own, mask] = [ipv4Number(address), ipv4Number(netmask)];
  if (own === null || mask === null) return null;
  const hosts = 2 ** 32 - 1 - mask;
  // Masks with gaps are invalid, and networks of one or two addresses have no broadcast address.
  if (hosts < 3 || !Number.isInteger(Math.log2(hosts + 1)) || mask === 0) return null;
  return ipv4Words(Math.floor(own / (hosts + 1)) * (hosts + 1) + hosts);
}
