import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf } from '../../../lib/errors.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import type { Installation } from '../installation.contract.ts';

/** A process that ends sooner could not start; waiting longer is up to the caller. */
const momentMs = 1000;

/** Started by the desktop, where the user has no systemd. https://specifications.freedesktop.org/autostart-spec/latest/ */
export function createAutostartEntry(
  { launch, environment }: Pick<LinuxHost, 'launch' | 'environment'>,
  configHome: string,
  command: readonly string[],
): Installation {
  const file = path.join(configHome, 'autostart', 'hostler.desktop');
  const read = () => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null);
  const setAutostart = async (isWanted: boolean) => {
    if (!isWanted) return removeEntry(file);
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, desktopEntry(command));
    } catch (error) {
      throw new Error(`The entry for your desktop cannot be written: ${messageOf(error)}`, { cause: error });
    }
  };
  return {
    async state() {
      const { isThere, isSwitchedOff } = parseEntry(read());
      const startsAtLogin = isThere && !isSwitchedOff;
      return { startsAtLogin, isSwitchedOff, lines: [stateLine(startsAtLogin, isSwitchedOff, file)] };
    },
    setAutostart,
    async install() {
      await setAutostart(true);
      return [`This system does not run systemd: your desktop starts Hostler when you log in (${file})`];
    },
    async launch() {
      const [program = '', ...args] = command;
      // As the desktop starts it: with the environment of the user.
      const env = Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const code = await launch.start(program, args, { env, cwd: environment.home, momentMs });
      if (code !== null)
        throw new Error(`Hostler exited at once with code ${code}; run "${ownCommand('serve')}" to see why`);
    },
    async remove() {
      if (read() === null) return ['Hostler is not started when you log in; nothing was changed'];
      await setAutostart(false);
      return [`Hostler is no longer started when you log in: ${file} was removed`];
    },
  };
}

/** Also the directory if it is empty: it may have been created for this. */
function removeEntry(file: string): void {
  fs.rmSync(file, { force: true });
  try {
    fs.rmdirSync(path.dirname(file));
  } catch {
    // It contains other entries, or does not exist.
  }
}

function stateLine(startsAtLogin: boolean, isSwitchedOff: boolean, file: string): string {
  if (startsAtLogin) return `Hostler is started by your desktop when you log in: ${file}`;
  if (isSwitchedOff) return `Hostler is not started when you log in: it is switched off in ${file}`;
  return 'Hostler is not started when you log in';
}

/** Desktops switch an entry off in the file, each in its own way. */
export function parseEntry(text: string | null): { isThere: boolean; isSwitchedOff: boolean } {
  const isSwitchedOff =
    text !== null && /^(?:Hidden=true|X-GNOME-Autostart-enabled=false|X-MATE-Autostart-enabled=false)\s*$/m.test(text);
  return { isThere: text !== null, isSwitchedOff };
}

export function desktopEntry(command: readonly string[]): string {
  return `[Desktop Entry]
Type=Application
Name=Hostler
Comment=The machine over HTTP, WebSocket and MCP
Exec=${command.map(quotedArgument).join(' ')}
Icon=hostler
Terminal=false
NoDisplay=true
X-GNOME-Autostart-enabled=true
`;
}

/** https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html; backslashes once more, as in every text of the file. */
function quotedArgument(word: string): string {
  if (/^[\w./:=@,+-]+$/.test(word)) return word;
  const inner = word.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%');
  return `"${inner.replaceAll('\\', '\\\\')}"`;
}
