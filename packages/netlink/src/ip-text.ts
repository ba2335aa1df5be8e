/** 192.0.2.1, from four bytes. */
export function ipv4Text(bytes: DataView, at: number): string {
  return `${bytes.getUint8(at)}.${bytes.getUint8(at + 1)}.${bytes.getUint8(at + 2)}.${bytes.getUint8(at + 3)}`;
}

/** As the C library writes them: the longest run of zeros is left out, and addresses that hold an IPv4 one show it. */
export function ipv6Text(bytes: DataView, at: number): string {
  let runAt = -1;
  let runLength = 1;
  for (let group = 0; group < 8; group++) {
    let end = group;
    while (end < 8 && bytes.getUint16(at + 2 * end) === 0) end++;
    if (end - group > runLength) {
      runAt = group;
      runLength = end - group;
    }
    group = end;
  }
  if (runAt === 0 && runLength === 6) return `::${ipv4Text(bytes, at + 12)}`;
  if (runAt === 0 && runLength === 5 && bytes.getUint16(at + 10) === 0xffff)
    return `::ffff:${ipv4Text(bytes, at + 12)}`;
  let text = '';
  for (let group = 0; group < 8; group++) {
    if (group === runAt) {
      text += '::';
      group += runLength - 1;
    } else {
      const between = group === 0 || text.endsWith(':') ? '' : ':';
      text += between + bytes.getUint16(at + 2 * group).toString(16);
    }
  }
  return text;
}

/** The mask of a prefix length, written as an address of that family. */
export function maskText(family: 4 | 6, prefix: number): string {
  const bytes = new DataView(new ArrayBuffer(family === 4 ? 4 : 16));
  for (let bit = 0; bit < prefix && bit < 8 * bytes.byteLength; bit++) {
    const at = bit >> 3;
    bytes.setUint8(at, bytes.getUint8(at) | (0x80 >> (bit & 7)));
  }
  return family === 4 ? ipv4Text(bytes, 0) : ipv6Text(bytes, 0);
}

/** aa:bb:cc:dd:ee:ff. Tunnels have shorter ones, which other tools pad with zeros. null: none. */
export function macText(bytes: DataView, at: number, length: number): string | null {
  if (length === 0) return null;
  const byteAt = (index: number) => (index < length ? bytes.getUint8(at + index) : 0);
  return Array.from({ length: Math.max(6, length) }, (_, index) => byteAt(index).toString(16).padStart(2, '0')).join(
    ':',
  );
}
