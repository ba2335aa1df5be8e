/** A key to an X server, from a file such as ~/.Xauthority. */
export interface X11Key {
  name: string;
  data: Uint8Array;
}

export const noKey: X11Key = { name: '', data: new Uint8Array() };

const cookie = 'MIT-MAGIC-COOKIE-1';
/** Families of addresses: this machine by its name, and any. */
const local = 256;
const wild = 65_535;

/** The keys of such a file for one display, the best match first. https://manpages.debian.org/Xsecurity */
export function parseAuthority(bytes: Uint8Array, display: number, hostname: string): X11Key[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const fitting: { key: X11Key; exact: boolean }[] = [];
  let at = 0;
  const short = () => {
    at += 2;
    return buffer.readUInt16BE(at - 2);
  };
  const counted = () => {
    const length = short();
    if (at + length > buffer.length) throw new RangeError('it ends too early');
    at += length;
    return buffer.subarray(at - length, at);
  };
  try {
    while (at < buffer.length) {
      const family = short();
      const address = counted().toString('latin1');
      const number = counted().toString('latin1');
      const name = counted().toString('latin1');
      const data = new Uint8Array(counted());
      const isOurs = family === wild || family === local;
      if (name !== cookie || !isOurs || (number !== '' && number !== String(display))) continue;
      fitting.push({ key: { name, data }, exact: family === local && address === hostname });
    }
  } catch {
    // The file is being written: use the entries read so far.
  }
  return fitting.sort((a, b) => Number(b.exact) - Number(a.exact)).map(({ key }) => key);
}
