import fs from 'node:fs';

/** Where the user of the command line wants it; for no other user to read, unless a file is there already that they can. */
export function writePictureFile(file: string, bytes: Uint8Array): void {
  fs.writeFileSync(file, bytes, { mode: 0o600 });
}
