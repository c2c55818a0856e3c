import { DATA_FOLDER, SETTINGS_FILE } from './settings-file.ts'

export const SERVICE = 'bellhop'
export const PROGRAM_FILE = '/usr/local/bin/bellhop'
/** Marks the file as ours, so that it can be replaced. */
export const MADE_BY = '# Made by "bellhop service install".'

/**
 * The unit for systemd 240 and later (systemd.service(5), systemd.exec(5)). Its own settings go into
 * /etc/systemd/system/bellhop.service.d, which survives an upgrade.
 */
export const SERVICE_UNIT = `${MADE_BY}
# To change it, run: systemctl edit ${SERVICE}
[Unit]
Description=Bellhop, customer support tickets
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart=${PROGRAM_FILE} serve --env-file ${SETTINGS_FILE}
User=${SERVICE}
Group=${SERVICE}
StateDirectory=${SERVICE}
StateDirectoryMode=0700
WorkingDirectory=${DATA_FOLDER}
UMask=0077
LimitNOFILE=65536
Restart=on-failure
RestartSec=2s
WatchdogSec=60s
# At SIGABRT, the runtime would report a fault of its own.
WatchdogSignal=SIGKILL
# An upgrade may have to change a large database.
TimeoutStartSec=30min
TimeoutStopSec=20s

# For ports below 1024, and for nothing else.
AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallFilter=setpriority
SystemCallErrorNumber=EPERM
# MemoryDenyWriteExecute isn't possible: the JavaScript engine compiles to memory.

[Install]
WantedBy=multi-user.target
`

/** Written once; then it belongs to the administrator. */
export const SETTINGS_TEMPLATE = `# Settings of Bellhop, for the service and for commands. After a change, run: sudo systemctl restart ${SERVICE}
#BELLHOP_DATA=${DATA_FOLDER}
# The address where people open Bellhop:
#BELLHOP_URL=https://help.example.com
#HOST=127.0.0.1
#PORT=3000
# HTTPS without a proxy, with HOST=0.0.0.0 and PORT=443. The user "${SERVICE}" must be able to read both files:
#BELLHOP_TLS_CERT=/etc/bellhop/cert.pem
#BELLHOP_TLS_KEY=/etc/bellhop/key.pem
# All others: https://your-address/docs/settings
`
