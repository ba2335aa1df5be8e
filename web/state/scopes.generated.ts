// Made by "npm run generate" from the features. Do not edit.
export const scopes = {
  "read": {
    "label": "read",
    "description": "read modules, their state and metrics, and listen to them"
  },
  "files": {
    "label": "read files",
    "description": "list and download files of the known directories: the whole home, hidden files too unless files.hidden is false"
  },
  "media": {
    "label": "control media and volume",
    "description": "control media players and volume, play sounds, say texts"
  },
  "notify": {
    "label": "notify",
    "description": "show notifications, and replace or close its own"
  },
  "chat": {
    "label": "control voice chat",
    "description": "control the voice-chat application"
  },
  "control": {
    "label": "open things and lock",
    "description": "open addresses and files, lock the session, wake other machines of the network, set the brightness, contrast and input of displays and switch them on and off, switch do not disturb and the night light, connect paired Bluetooth devices and switch Bluetooth, keep the machine awake, set the power profile"
  },
  "input": {
    "label": "type",
    "description": "type on the keyboard, and stop what is being typed"
  },
  "pointer": {
    "label": "move the pointer",
    "description": "move the pointer, click and scroll"
  },
  "screen": {
    "label": "see the screen",
    "description": "see what is on the screen: the window in front and its title, and pictures where screen.allowed was set on the machine"
  },
  "clipboard": {
    "label": "read and set the clipboard",
    "description": "read what was copied on this machine, and put something onto its clipboard"
  },
  "power": {
    "label": "control power",
    "description": "sleep, hibernate, restart, shut down, log out"
  },
  "processes": {
    "label": "end processes",
    "description": "end, stop and continue processes that the user of the service may signal, and change their priority"
  },
  "services": {
    "label": "control services",
    "description": "start, stop, restart, enable and disable the allow-listed services, and read the logs of all services"
  },
  "containers": {
    "label": "control containers",
    "description": "start, stop, restart, pause and resume the allow-listed containers, and read the output of every container"
  },
  "command": {
    "label": "run commands",
    "description": "run the allow-listed commands and see the settings"
  },
  "admin": {
    "label": "administer",
    "description": "change settings, manage tokens, stop the service"
  }
} as const;
