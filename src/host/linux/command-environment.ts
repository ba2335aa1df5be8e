import type { LinuxHost } from './linux-host.ts';

/** Environment of the user's programs: language, time zone, directories, and the desktop. None of the service's own variables. */
const passed = [
  'USER',
  'LOGNAME',
  'SHELL',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NUMERIC',
  'LC_TIME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_DIRS',
  'XDG_DATA_DIRS',
];

/** Not the service's own PATH, which is not trusted. */
const searched = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export async function commandEnvironmentLinux({
  environment,
  session,
}: Pick<LinuxHost, 'environment' | 'session'>): Promise<Record<string, string>> {
  const own = passed.flatMap((name): [string, string][] => {
    const value = environment.variable(name);
    return value === null ? [] : [[name, value]];
  });
  // Most commands need no desktop.
  const { variables } = await session.find().catch(() => ({ variables: {} }));
  return { LANG: 'C.UTF-8', ...Object.fromEntries(own), ...variables, HOME: environment.home, PATH: searched };
}
