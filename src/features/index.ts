import type { ActionDefinition } from '../core/action.ts';
import { alertsActions } from './alerts/alerts.actions.ts';
import { applicationExit } from './application/application.ts';
import { audioControl } from './audio/audio.actions.ts';
import { bluetoothActions } from './bluetooth/bluetooth.actions.ts';
import { chatControl } from './chat/chat.actions.ts';
import { clipboardActions } from './clipboard/clipboard.actions.ts';
import { commandExecute } from './command/command.ts';
import { containerActions } from './containers/containers.actions.ts';
import { controlActions } from './control/control.ts';
import { diskMounts } from './disks/disks.actions.ts';
import { displayActions } from './displays/displays.actions.ts';
import { filesActions } from './files/files.ts';
import { historyGet } from './history/history.ts';
import { keyboardActions } from './keyboard/keyboard.ts';
import { mediaControl } from './media/media.actions.ts';
import { networkWake } from './networks/networks.actions.ts';
import { notificationActions } from './notification/notification.ts';
import { desktopOpen } from './open/open.ts';
import { pointerActions } from './pointer/pointer.ts';
import { powerActions, powerPending } from './power/power.ts';
import { processDetails } from './processes/processes.actions.ts';
import { busiestProcesses } from './processes/processes.busiest.ts';
import { processControls } from './processes/processes.control.ts';
import { screenCapture } from './screen/screen.ts';
import { serviceActions } from './services/services.actions.ts';
import { sessionActions } from './session/session.actions.ts';
import { settingsActions } from './settings/settings.ts';

/** Everything one can do. Transports walk this list and know none of them by name. */
export const actions: readonly ActionDefinition[] = [
  ...alertsActions,
  applicationExit,
  audioControl,
  ...bluetoothActions,
  chatControl,
  ...clipboardActions,
  commandExecute,
  ...containerActions,
  ...controlActions,
  desktopOpen,
  diskMounts,
  ...displayActions,
  ...filesActions,
  historyGet,
  ...keyboardActions,
  mediaControl,
  networkWake,
  ...notificationActions,
  ...pointerActions,
  ...powerActions,
  powerPending,
  processDetails,
  busiestProcesses,
  ...processControls,
  screenCapture,
  ...serviceActions,
  ...sessionActions,
  ...settingsActions,
];
