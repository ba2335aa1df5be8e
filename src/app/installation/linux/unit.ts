export const unitName = 'hostler.service';

/** The account of the service of the machine. Its home holds its settings and state. */
export const systemUser = { name: 'hostler', home: '/var/lib/hostler' };

/** For systemd-sysusers. */
export const systemUserLine = `u ${systemUser.name} - "Hostler" ${systemUser.home}\n`;

/** The unit of a user, or of the machine. deploy/systemd has both as packages install them. */
export function unitText(kind: 'user' | 'system', program: readonly string[]): string {
  const isSystem = kind === 'system';
  return `# ${isSystem ? 'Hostler for a machine without a logged-in user, under its own account.' : 'Hostler for the user whose systemd this is.'}
[Unit]
Description=Hostler, the machine over HTTP, WebSocket and MCP
Documentation=man:hostler(1)
${isSystem ? 'After=network.target dbus.service\n' : ''}# Stop after five failed starts in a minute.
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
ExecStart=${program.map(unitWord).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
# The event loop reports that it is alive; a service that hangs is restarted.
WatchdogSec=60
Restart=on-failure
RestartSec=1
# 2: wrong usage, which a restart does not fix.
RestartPreventExitStatus=2
TimeoutStopSec=10
UnsetEnvironment=BUN_OPTIONS BUN_BE_BUN
LimitNOFILE=65536
UMask=0077
${isSystem ? systemPart : userPart}
[Install]
WantedBy=${isSystem ? 'multi-user.target' : 'default.target'}
`;
}

/** Every restriction of a user's unit would also apply to the programs that it opens for the user; see docs/decisions/0038. */
const userPart = `# Programs opened for the user, such as a browser, keep running.
KillMode=process
`;

const systemPart = `User=${systemUser.name}
StateDirectory=hostler
StateDirectoryMode=0700
# Each was tested with every module and action.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectClock=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
KeyringMode=private
RemoveIPC=yes
`;

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html#Command%20lines */
export function unitWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$').replaceAll('\n', '\\n');
  return /^[\w./:=@,+-]+$/.test(word) ? word : `"${escaped}"`;
}
