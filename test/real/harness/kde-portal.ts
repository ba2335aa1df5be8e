import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { hasOwner } from '../../../src/host/linux/dbus/bus-properties.ts';
import { until } from '../../harness/until.ts';
import { endProcess } from './end-process.ts';
import { findProgram } from './parts.ts';
import { hostIn } from './session-host.ts';
import type { PrivateWayland } from './wayland.ts';

/** Debian installs it into a folder named after the architecture. */
const kdePart =
  fs
    .readdirSync('/usr/lib')
    .map((name) => `/usr/lib/${name}/libexec/xdg-desktop-portal-kde`)
    .find((file) => fs.existsSync(file)) ?? 'xdg-desktop-portal-kde';
const frontend = '/usr/libexec/xdg-desktop-portal';

export const kdePortalPrograms = [kdePart, frontend];

/** The portal of KDE in a running session of KWin, with PipeWire unless it is left out. `end`: a crash of all of it. */
export async function startKdePortal(kwin: PrivateWayland, { pipewire = true } = {}) {
  const directory = kwin.variables.XDG_RUNTIME_DIR ?? '';
  const programs: ChildProcess[] = [];
  const host = hostIn(kwin.variables);
  const env = {
    ...kwin.variables,
    WAYLAND_DISPLAY: path.basename(kwin.socket()),
    XDG_CURRENT_DESKTOP: 'KDE',
    QT_QPA_PLATFORM: 'wayland',
    QML2_IMPORT_PATH: dialogFrames(directory),
  };
  const run = (program: string) => programs.push(spawn(findProgram(program) ?? program, [], { env, stdio: 'ignore' }));
  const end = async () => {
    for (const program of programs.splice(0).reverse()) await endProcess(program);
    await host.close();
  };
  try {
    if (pipewire) {
      run('pipewire');
      await until(() => fs.existsSync(path.join(directory, 'pipewire-0')), 'PipeWire listens');
      run('wireplumber');
    }
    for (const [program, name] of [
      [kdePart, 'org.freedesktop.impl.portal.desktop.kde'],
      [frontend, 'org.freedesktop.portal.Desktop'],
    ] as const) {
      run(program);
      await until(() => hasOwner(host.dbus.session, name), `${program} answers`);
    }
  } catch (error) {
    await end();
    throw error;
  }
  return { end };
}

/**
 * The portal loads the frame of its dialogs from the whole of Plasma, and crashes without. None is shown where it asks nothing, so that an
 * empty one is enough.
 */
function dialogFrames(directory: string): string {
  const module = path.join(directory, 'qml', 'org', 'kde', 'plasma', 'workspace', 'dialogs');
  fs.mkdirSync(module, { recursive: true });
  fs.writeFileSync(
    path.join(module, 'qmldir'),
    'module org.kde.plasma.workspace.dialogs\nSystemDialog 1.0 SystemDialog.qml\n',
  );
  fs.writeFileSync(
    path.join(module, 'SystemDialog.qml'),
    `import QtQuick 2.15
import QtQuick.Window 2.15
import QtQuick.Controls 2.15

Window {
    property string mainText
    property string subtitle
    property string iconName
    property bool acceptable
    property int standardButtons
    property list<QtObject> actions
    property DialogButtonBox dialogButtonBox: DialogButtonBox { standardButtons: DialogButtonBox.Ok | DialogButtonBox.Cancel }
    signal accept()
    signal reject()
    function present() {}
}
`,
  );
  return path.join(directory, 'qml');
}
