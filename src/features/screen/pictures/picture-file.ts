import fs from 'node:fs';

/** Where the user of the command line wants it; for no other user to read, unless a file is there already that they can. */
export function writePictureFile(file: string, bytes: Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = fs.constants;
  // A link or a file that somebody else has left in a shared directory would give the picture away.
  const descriptor = fs.openSync(file, O_WRONLY | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
  try {
    const { uid } = fs.fstatSync(descriptor);
    const own = process.getuid?.();
    if (own !== undefined && uid !== own) throw new Error(`${file} belongs to another user`);
    fs.ftruncateSync(descriptor);
    fs.writeFileSync(descriptor, bytes);
  } finally {
    fs.closeSync(descriptor);
  }
}
