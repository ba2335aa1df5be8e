/** What every manager touches when it did something. Plain names, so that nothing of the readers is loaded to look at them. */
export const managerPlaces = (home: string): string[] => [
  '/var/lib/dpkg',
  '/var/lib/dpkg/status',
  '/etc/apt',
  '/etc/apt/preferences.d',
  '/var/lib/apt/lists',
  '/var/lib/apt/lists/partial',
  '/var/lib/apt/periodic',
  '/var/lib/pacman/local',
  '/var/lib/pacman/sync',
  '/var/lib/flatpak',
  '/var/lib/flatpak/repo/tmp/cache/summaries',
  `${home}/.local/share/flatpak`,
  `${home}/.local/share/flatpak/repo/tmp/cache/summaries`,
  `${home}/.cache/flatpak/system-cache/summaries`,
  '/run/reboot-required',
  '/run/reboot-required.pkgs',
];
