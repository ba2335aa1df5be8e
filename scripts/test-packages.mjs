// The real programs that tests run against, as Debian packages.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** For the standard tier. */
const standardPackages = [
  'dbus',
  'pipewire',
  'pipewire-pulse',
  'wireplumber',
  'pulseaudio-utils',
  'chromium',
  'util-linux',
  'mount',
  'iproute2',
  'python3-psutil',
  'python3-aiohttp',
  'squashfs-tools',
  'e2fsprogs',
  'upower',
  'power-profiles-daemon',
  // Its driver dummy-ups simulates a UPS.
  'nut-server',
  'umockdev',
  'gir1.2-umockdev-1.0',
  'python3-gi',
  'avahi-daemon',
  'avahi-utils',
  'prometheus',
  'prometheus-node-exporter',
  'python3-prometheus-client',
  // Its REST API is compared with ours.
  'glances',
  'python3-bottle',
  'nginx-light',
  'mosquitto',
  'mosquitto-clients',
  'protobuf-compiler',
  'python3-protobuf',
  'gcc',
  'libc6-dev',
  'systemd-sysv',
  'systemd-container',
  'libpam-systemd',
  'dbus-user-session',
  'polkitd',
  'procps',
  'xvfb',
  'x11-xserver-utils',
  'xss-lock',
  'dunst',
  'mutter',
  'xterm',
  'openbox',
  'xdotool',
  'xclip',
  'wl-clipboard',
  'x11-xkb-utils',
  'foot',
  'weston',
  'sway',
  // KDE's compositor: 0.1 GB, nearly all of it Qt.
  'kwin-wayland',
  'mako-notifier',
  'dconf-service',
  'dconf-cli',
  'waybar',
  'grim',
  'webp',
  'libnotify-bin',
  'xdg-desktop-portal',
  'xdg-desktop-portal-gnome',
  'xdg-utils',
  'python3-dbusmock',
  'mpv',
  'mpv-mpris',
  // Speech: the synthesiser, and the service that other programs use.
  'espeak-ng',
  'speech-dispatcher',
  'speech-dispatcher-espeak-ng',
  // For ffplay.
  'ffmpeg',
  'playerctl',
  'vlc-bin',
  'vlc-plugin-base',
  'sox',
  'flac',
  'xserver-xorg-core',
  'xserver-xorg-video-dummy',
  'nats-server',
  'openssl',
  // Reports the health of drives, which umockdev simulates.
  'udisks2',
  'xz-utils',
  'zstd',
  // Besides bash, the shells that complete our commands.
  'zsh',
  'fish',
];

/** For the full tier, in addition. */
const fullPackages = [
  // Container engines, and the one program of the image that the tests make for them.
  'docker.io',
  'podman',
  'busybox-static',
  // Our packages are inspected and installed with the tools of each kind of system.
  'lintian',
  'rpm',
  'man-db',
  'desktop-file-utils',
  // Signs programs for Windows, and verifies signatures; with keys in hardware, which softhsm2 simulates.
  'osslsigncode',
  'softhsm2',
  'libengine-pkcs11-openssl',
  // Build the installer and the MSI for Windows.
  'nsis',
  'wixl',
  'msitools',
  // What docs/recipes names; the libraries are those of collectd's plugin curl_json.
  'prometheus-alertmanager',
  'collectd-core',
  'libcurl3-gnutls',
  'libyajl2',
  // Sends the same alerts to the same servers; the library is a server for e-mail with TLS and passwords.
  'apprise',
  'python3-aiosmtpd',
  // Beside nginx, for the recipe of docs/proxy.md.
  'caddy',
  // Package managers whose updates are read.
  'pacman-package-manager',
  'makepkg',
  'flatpak',
  'fwupd',
  // KDE's portal, and what it is drawn with but does not depend on.
  'xdg-desktop-portal-kde',
  'qtwayland5',
  'qml-module-org-kde-kirigami2',
  'wayland-utils',
  // Creates the tree with Wine in which the Windows build is tested; Wine itself is not installed on this machine.
  'mmdebstrap',
];

/** Installs the missing packages of the tier where that is possible, and reports it. Otherwise the tests that need them report what is missing. */
export function ensurePackages(tier) {
  if (!existsSync('/usr/bin/dpkg-query') || !existsSync('/usr/bin/apt-get')) return;
  const packages = tier === 'full' ? [...standardPackages, ...fullPackages] : standardPackages;
  const missing = packages.filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    process.stdout.write(
      `== You are not root: nothing is installed, and tests that need ${missing.join(', ')} will be skipped. To run them as well: sudo apt-get install --no-install-recommends ${missing.join(' ')}\n`,
    );
    return;
  }
  process.stdout.write(
    `== You are root: installing the Debian packages that the tests need, and what these depend on (up to 1 GB; their services are not started): ${missing.join(' ')}\n`,
  );
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    spawnSync('/usr/bin/apt-get', ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: environment,
    });
  apt('update');
  const allowAgain = forbidServices();
  // The timeout above does not cover the directory of downloads, which another apt-get may hold.
  const installed = [0, 20, 60, 120].some((seconds) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
    return apt('install', '--no-install-recommends', ...missing).status === 0;
  });
  if (!installed) {
    process.stdout.write('== apt-get failed; the tests that need these packages will say so\n');
  }
  allowAgain();
}

/** Debian starts services when it installs them; the tests start their own, in private networks. */
function forbidServices() {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => {};
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(policy, { force: true });
}

function isInstalled(name) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of dpkg-query, not ours
  const { stdout } = spawnSync('/usr/bin/dpkg-query', ['-W', '-f=${Status}', name], { encoding: 'utf8' });
  return stdout === 'install ok installed';
}
