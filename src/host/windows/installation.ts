import fs from 'node:fs';
import path from 'node:path';
import type { Installation, WhichInstallation } from '../installation.ts';
import { commandFor, isOwnProgram, quietProgram, readAutostart, removeAutostart, writeAutostart } from './autostart.ts';
import { firewallLine, rulesKey } from './firewall.ts';
import { toastAppId } from './notifications.ts';
import type { WindowsHost } from './windows-host.ts';

/** FOLDERID_Programs: the Start menu of this user. */
const startMenu = 'A77F5D77-2E2B-44C3-A6A2-ABA601054A51';

export function createInstallation(
  host: Pick<WindowsHost, 'native'>,
  _which?: WhichInstallation,
  program = process.execPath,
): Installation {
  const linkFile = async () => {
    const menu = (await host.native()).shell32.knownFolder(startMenu);
    if (menu === null) throw new Error('Windows names no Start menu for this user');
    return path.win32.join(menu, 'Hostler.lnk');
  };
  const quiet = () => {
    if (!isOwnProgram(program))
      throw new Error('only the built program (hostler.exe) can be started by Windows, not its source');
    return quietProgram(program, fs.existsSync);
  };
  const setAutostart = async (isWanted: boolean) => {
    const { advapi32 } = await host.native();
    if (isWanted) writeAutostart(advapi32, commandFor(quiet()));
    else removeAutostart(advapi32);
  };
  return {
    async state() {
      const { command, isSwitchedOff } = readAutostart((await host.native()).advapi32);
      const link = await linkFile();
      const { machineTexts } = await import('./native/registry-values.ts');
      const served = quietProgram(program, fs.existsSync);
      return {
        startsAtLogin: command !== null && !isSwitchedOff,
        isSwitchedOff,
        lines: [
          autostartLine(command, isSwitchedOff),
          linkLine(link, fs.existsSync(link)),
          firewallLine(machineTexts(rulesKey), served),
        ],
      };
    },
    setAutostart,
    async install() {
      const { writeShellLink } = await import('./native/shell-link.ts');
      const [file, own] = [await linkFile(), quiet()];
      const directory = path.win32.dirname(own);
      writeShellLink({ file, program: own, arguments: '', directory, description: 'Hostler', appId: toastAppId });
      await setAutostart(true);
      return [`Hostler is started when you log in: ${commandFor(own)}`, `It is in the Start menu: ${file}`];
    },
    async remove() {
      await setAutostart(false);
      const file = await linkFile();
      fs.rmSync(file, { force: true });
      return ['Hostler is no longer started when you log in', `It is no longer in the Start menu: ${file}`];
    },
  };
}

function autostartLine(command: string | null, isSwitchedOff: boolean): string {
  if (command === null) return 'Hostler is not started when you log in';
  if (isSwitchedOff) return 'Hostler is not started when you log in: it is switched off in the Task Manager';
  return `Hostler is started when you log in: ${command}`;
}

const linkLine = (file: string, isThere: boolean) =>
  isThere ? `It is in the Start menu: ${file}` : 'It is not in the Start menu, so Windows shows no notifications of it';
