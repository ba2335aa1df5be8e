import type { ModuleName, ModulePayloads } from '@hostler/client/client.ts';
import type { FunctionComponent } from 'preact';
import type { IconName } from '../components/icon.tsx';
import type { Scope } from '../state/scopes.ts';
import { Overview } from './overview/overview.tsx';

/** One page of the dashboard. Everything but the first one, which most visits begin with, is loaded when it is opened. */
export interface View {
  path: string;
  title: string;
  icon: IconName;
  /** Other names, for the search. */
  words?: string;
  /** The module it shows: its component is given the payload as `data`. */
  module?: ModuleName;
  /**
   * The view is folded away where the machine has none of it: the module reports a reason as a whole, or for all of these fields.
   * Without it the view always stays.
   */
  fields?: readonly string[];
  /** The same for a view of actions: none of these events is available. */
  events?: readonly string[];
  /** Scopes that make the view useful; one is enough. */
  scopes: readonly Scope[];
  /** Has charts, so that a range can be chosen. */
  ranged?: boolean;
  /** The component, if it is loaded already. */
  content?: ViewContent;
  load(): Promise<ViewContent>;
}

export type ViewContent = FunctionComponent<{ data: never }>;

export interface ViewGroup {
  title: string;
  views: readonly View[];
}

/** Without other options a view needs the scope `read`, and always stays. */
const view = <M extends ModuleName>(
  path: string,
  title: string,
  icon: IconName,
  load: () => Promise<FunctionComponent<{ data: ModulePayloads[M] }>>,
  options: Omit<Partial<View>, 'path' | 'title' | 'icon' | 'load' | 'module'> & { module?: M },
): View => ({ path, title, icon, load, scopes: ['read'], ...options });

export const viewGroups: readonly ViewGroup[] = [
  {
    title: 'Machine',
    views: [
      view('/', 'Overview', 'overview', async () => Overview, { ranged: true, content: Overview }),
      view('/processes', 'Processes', 'processes', async () => (await import('./processes/processes.tsx')).Processes, {
        words: 'programs tasks pid',
        module: 'processes',
      }),
      view('/load', 'Load', 'load', async () => (await import('./load/load.tsx')).Load, {
        words: 'why slow overloaded busy pressure waiting usual',
        ranged: true,
      }),
      view('/services', 'Services', 'services', async () => (await import('./services/services.tsx')).Services, {
        words: 'systemd units daemons failed start stop restart logs',
        module: 'services',
        fields: [],
      }),
      view(
        '/containers',
        'Containers',
        'container',
        async () => (await import('./containers/containers.tsx')).Containers,
        { words: 'docker podman compose images', module: 'containers', fields: ['engines'] },
      ),
      view('/network', 'Network', 'network', async () => (await import('./networks/networks.tsx')).Network, {
        words: 'interfaces connections wifi ports addresses',
        module: 'networks',
        ranged: true,
      }),
      view('/disks', 'Disks', 'disk', async () => (await import('./disks/disks.tsx')).Disks, {
        words: 'storage drives partitions mounts space what filled the disk full',
        module: 'disks',
        ranged: true,
      }),
      view('/sensors', 'Sensors', 'temperature', async () => (await import('./sensors.tsx')).Sensors, {
        words: 'temperatures fans',
        module: 'sensors',
        fields: ['temperatures', 'fans'],
        ranged: true,
      }),
      view('/graphics', 'Graphics', 'graphics', async () => (await import('./gpus.tsx')).Graphics, {
        words: 'gpu video card',
        module: 'gpus',
        fields: [],
        ranged: true,
      }),
      view('/custom', 'Own sensors', 'custom', async () => (await import('./custom.tsx')).Custom, {
        words: 'custom values commands files',
        module: 'custom',
        fields: ['sensors'],
        ranged: true,
      }),
      view('/updates', 'Updates', 'update', async () => (await import('./updates.tsx')).Updates, {
        words: 'packages upgrades security restart reboot apt pacman flatpak firmware',
        module: 'updates',
      }),
      view('/alerts', 'Alerts', 'bell', async () => (await import('./alerts.tsx')).Alerts, {
        words: 'rules notifications warnings webhooks thresholds',
        module: 'alerts',
      }),
      view('/timeline', 'Timeline', 'timeline', async () => (await import('./history.tsx')).Timeline, {
        words: 'events history log what happened changed since yesterday packages installed',
        ranged: true,
      }),
    ],
  },
  {
    title: 'Desktop',
    views: [
      view('/session', 'Session', 'user', async () => (await import('./session.tsx')).Session, {
        words: 'idle locked window do not disturb night light lid power profile',
        module: 'session',
        fields: ['user', 'desktop'],
      }),
      view('/bluetooth', 'Bluetooth', 'bluetooth', async () => (await import('./bluetooth.tsx')).Bluetooth, {
        words: 'headset headphones mouse keyboard phone paired devices connect',
        module: 'bluetooth',
        fields: [],
      }),
      view('/media', 'Media', 'music', async () => (await import('./media.tsx')).Media, {
        words: 'players music',
        module: 'media',
        fields: [],
      }),
      view('/sound', 'Sound', 'mixer', async () => (await import('./sound.tsx')).Sound, {
        words: 'volume mixer speakers microphone outputs inputs',
        module: 'audio',
        fields: [],
      }),
      view('/displays', 'Displays', 'display', async () => (await import('./displays/displays.tsx')).Displays, {
        words: 'monitors screens resolution',
        module: 'displays',
        fields: [],
      }),
      view('/files', 'Files', 'folder', async () => (await import('./files/files.tsx')).Files, {
        words: 'directories downloads',
        scopes: ['files'],
      }),
      view('/control', 'Notify and type', 'keyboard', async () => (await import('./control.tsx')).Control, {
        words: 'notification open keyboard keys text',
        events: ['NOTIFICATION', 'OPEN', 'KEYBOARD_KEYPRESS', 'KEYBOARD_TEXT'],
        scopes: ['notify', 'control', 'input'],
      }),
      view('/chat', 'Chat', 'chat', async () => (await import('./chat.tsx')).Chat, {
        words: 'voice call mute',
        module: 'chat',
        fields: [],
      }),
    ],
  },
  {
    title: 'Control',
    views: [
      view('/power', 'Power', 'power', async () => (await import('./power/power.tsx')).Power, {
        words: 'shut down restart sleep lock log out',
        events: ['POWER_LOCK', 'POWER_SLEEP', 'POWER_HIBERNATE', 'POWER_LOGOUT', 'POWER_RESTART', 'POWER_SHUTDOWN'],
        scopes: ['power', 'control'],
      }),
      view('/commands', 'Commands', 'terminal', async () => (await import('./command.tsx')).Commands, {
        words: 'run scripts',
        events: ['COMMAND_EXECUTE'],
        scopes: ['command'],
      }),
    ],
  },
  {
    title: 'Hostler',
    views: [
      view('/safety', 'Safety', 'safe', async () => (await import('./safety/safety.tsx')).Safety, {
        words: 'is it safe secure security open ports failed sign-ins updates',
      }),
      view('/access', 'Access', 'key', async () => (await import('./tokens/tokens.tsx')).Tokens, {
        words: 'tokens browsers permissions sessions phones pair qr code',
        scopes: ['admin'],
      }),
      view(
        '/connections',
        'Connections',
        'plug',
        async () => (await import('./connections/connections.tsx')).Connections,
        { words: 'machines home assistant prometheus agents mcp other hostlers' },
      ),
      view('/settings', 'Settings', 'settings', async () => (await import('./settings/settings.tsx')).Settings, {
        words: 'configuration options',
        scopes: ['command', 'admin'],
      }),
      view('/interfaces', 'API', 'braces', async () => (await import('./api.tsx')).Api, {
        words: 'http websocket routes events documents',
      }),
    ],
  },
];

export const views: readonly View[] = viewGroups.flatMap((group) => group.views);

export function viewAt(path: string): View | undefined {
  const [, first = ''] = path.split('/');
  return views.find((view) => view.path === `/${first}`);
}
