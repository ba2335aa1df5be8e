export type SessionVariables = Partial<Record<string, string>>;

/** The variables of a session; others of the manager or of this process are ignored. */
export function pick(variable: (name: string) => string | null | undefined): SessionVariables {
  return Object.fromEntries(sessionVariables.map((name) => [name, variable(name) || undefined] as const).filter(isSet));
}

const isSet = ([, value]: readonly [string, string | undefined]) => value !== undefined;

/** The variables without displays that do not answer, and what belongs to them. */
export function withoutDisplays(variables: SessionVariables): SessionVariables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !displayNames.includes(name)));
}

const displayNames = ['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'XDG_SESSION_TYPE'];

const sessionVariables = [
  ...displayNames,
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_CURRENT_DESKTOP',
  'XDG_SESSION_DESKTOP',
  'XDG_SESSION_ID',
  'XDG_SEAT',
  'XDG_DATA_DIRS',
  'XDG_CONFIG_DIRS',
  'DESKTOP_SESSION',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  'SWAYSOCK',
  'I3SOCK',
  'HYPRLAND_INSTANCE_SIGNATURE',
  'LANG',
];
