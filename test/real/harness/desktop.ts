import fs from 'node:fs';
import path from 'node:path';

/** A program that records what it is opened with, one line each; the handler of everything that can be opened. */
export interface Recorder {
  /** The environment of programs that should find it. */
  variables: Record<string, string>;
  opened(): string[];
}

const kinds = ['x-scheme-handler/http', 'x-scheme-handler/https', 'x-scheme-handler/mailto', 'inode/directory'];
const texts = ['text/plain', 'text/html', 'audio/mpeg', 'application/octet-stream'];

/** In a private home; the real one is not touched. */
export function createRecorder(home: string): Recorder {
  const log = path.join(home, 'opened.txt');
  const program = path.join(home, 'recorder.sh');
  const applications = path.join(home, '.local', 'share', 'applications');
  const types = [...kinds, ...texts];
  fs.mkdirSync(applications, { recursive: true });
  fs.mkdirSync(path.join(home, '.config'), { recursive: true });
  fs.writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${log}'\n`, { mode: 0o755 });
  fs.writeFileSync(
    path.join(applications, 'recorder.desktop'),
    `[Desktop Entry]\nType=Application\nName=Recorder\nExec=${program} %u\nMimeType=${types.join(';')};\n`,
  );
  const chosen = types.map((type) => `${type}=recorder.desktop`).join('\n');
  fs.writeFileSync(path.join(home, '.config', 'mimeapps.list'), `[Default Applications]\n${chosen}\n`);
  return {
    variables: { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config') },
    // The part after the last line break is incomplete.
    opened: () => (fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n').slice(0, -1) : []),
  };
}
