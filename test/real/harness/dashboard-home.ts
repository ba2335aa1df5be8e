import fs from 'node:fs';
import path from 'node:path';

/** A home with music and a picture, and a command that waits for the file `go`. */
export function prepareDashboard(directory: string): void {
  const home = path.join(directory, 'home');
  fs.mkdirSync(path.join(home, 'Music', 'a band'), { recursive: true });
  fs.mkdirSync(path.join(home, 'Pictures'), { recursive: true });
  fs.writeFileSync(path.join(home, 'Music', 'a band', 'long#tone.wav'), silence(600));
  fs.writeFileSync(path.join(home, 'Pictures', '<img src=x onerror=alert(1)>.png'), Buffer.from(onePixel, 'base64'));
  const script = `const { existsSync } = require('node:fs'); console.log('first step');
    setInterval(() => { if (existsSync(${JSON.stringify(path.join(directory, 'go'))})) { console.log('second step'); process.exitCode = 3; process.exit(); } }, 20);`;
  const command = {
    id: 'two',
    name: 'Two steps',
    command: process.execPath,
    workingDir: '',
    arguments: ['-e', script],
  };
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(
    path.join(directory, 'config', 'settings.json'),
    JSON.stringify({ commands: { allowlist: [command] } }),
  );
}

/** A WAV file of 8-bit silence, 8000 samples a second. */
export function silence(seconds: number): Buffer {
  const length = seconds * 8000;
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(length, 40);
  return Buffer.concat([header, Buffer.alloc(length, 128)]);
}

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
