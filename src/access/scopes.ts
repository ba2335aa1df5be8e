/** What a token may do. The descriptions are shown to people who choose. */
export const scopes = {
  read: 'read modules, their state and metrics, and listen to them',
  files:
    'list and download files of the known directories: the whole home, hidden files too unless files.hidden is false',
  media: 'control media players and volume',
  notify: 'show notifications, and replace or close its own',
  chat: 'control the voice-chat application',
  control:
    'open addresses and files, lock the session, wake other machines of the network, set the brightness, contrast and input of displays and switch them on and off, switch do not disturb and the night light, connect paired Bluetooth devices and switch Bluetooth',
  input: 'type on the keyboard, and stop what is being typed',
  pointer: 'move the pointer, click and scroll',
  screen:
    'see what is on the screen: the window in front and its title, and pictures where screen.allowed was set on the machine',
  clipboard: 'read what was copied on this machine, and put something onto its clipboard',
  power: 'sleep, hibernate, restart, shut down, log out',
  processes: 'end, stop and continue processes that the user of the service may signal, and change their priority',
  services: 'start, stop, restart, enable and disable the allow-listed services, and read the logs of all services',
  containers:
    'start, stop, restart, pause and resume the allow-listed containers, and read the output of every container',
  command: 'run the allow-listed commands and see the settings',
  admin: 'change settings, manage tokens, stop the service',
} as const;

export type Scope = keyof typeof scopes;

export const allScopes = Object.keys(scopes).filter(isScope);

export function isScope(name: string): name is Scope {
  return Object.hasOwn(scopes, name);
}
