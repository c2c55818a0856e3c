import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from '../errors.ts'
import { MADE_BY, PROGRAM_FILE, SERVICE, SERVICE_UNIT, SETTINGS_TEMPLATE } from './service-unit.ts'
import { DATA_FOLDER, SETTINGS_FILE } from './settings-file.ts'

const UNIT_FILE = `/etc/systemd/system/${SERVICE}.service`
/** Exists where systemd runs (sd_booted(3)). */
const SYSTEMD_RUNS = '/run/systemd/system'

interface ServiceStatus {
  isInstalled: boolean
  /** As systemd calls them, such as `active` and `enabled`. */
  state: string
  start: string
  /** The status text of the server. */
  words: string
}

/**
 * Installs this program as a service that starts with the machine: the program, a user, the settings, the unit. Run
 * again after an upgrade, it replaces the program and the unit and restarts the server. Throws `StartError` before
 * anything is changed when it can't be done.
 */
export function installService(): void {
  requireRights('install')
  if (/[/\\]server[/\\]main\.ts$/.test(Bun.main)) {
    throw new StartError('Only the compiled program can be a service. Build it with: bun run build')
  }
  if (existsSync(UNIT_FILE) && !readFileSync(UNIT_FILE, 'utf8').startsWith(MADE_BY)) {
    throw new StartError(
      `${UNIT_FILE} is there already, and wasn't made by this command. Move it away first.`,
    )
  }
  if (!hasUser()) {
    const nobody = ['--system', '--user-group', '--no-create-home', '--home-dir', DATA_FOLDER]
    run('useradd', ...nobody, '--shell', '/usr/sbin/nologin', SERVICE)
  }
  if (realpathSync(process.execPath) !== PROGRAM_FILE) copyProgram()
  if (!existsSync(SETTINGS_FILE)) {
    mkdirSync(dirname(SETTINGS_FILE), { recursive: true })
    writeFileSync(SETTINGS_FILE, SETTINGS_TEMPLATE, { mode: 0o640 })
  }
  // The server and commands read it as this user, and nobody else: it may hold secrets.
  run('chown', `root:${SERVICE}`, SETTINGS_FILE)
  chmodSync(SETTINGS_FILE, 0o640)
  writeFileSync(UNIT_FILE, SERVICE_UNIT, { mode: 0o644 })
  run('systemctl', 'daemon-reload')
  run('systemctl', 'enable', '--quiet', SERVICE)
  try {
    run('systemctl', 'restart', SERVICE)
  } catch (cause) {
    throw new StartError(`The service is installed, but doesn't start. ${reasonFromLog()}`, { cause })
  }
}

/** Stops the server and removes the unit. The data, the settings, the program, and the user stay. */
export function uninstallService(): void {
  requireRights('uninstall')
  if (!existsSync(UNIT_FILE)) throw new StartError('The service is not installed.')
  run('systemctl', 'disable', '--now', '--quiet', SERVICE)
  rmSync(UNIT_FILE)
  run('systemctl', 'daemon-reload')
}

/** The state of the service in systemd. */
export function serviceStatus(): ServiceStatus {
  requireSystemd()
  const asked = ['ActiveState', 'UnitFileState', 'StatusText']
  const shown = run('systemctl', 'show', SERVICE, ...asked.map((name) => `--property=${name}`))
  const facts = new Map(shown.split('\n').map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')]))
  const state = facts.get('ActiveState') || 'unknown'
  return {
    isInstalled: existsSync(UNIT_FILE),
    state,
    start: facts.get('UnitFileState') || 'disabled',
    words: facts.get('StatusText') || (state === 'active' ? '' : reasonFromLog()),
  }
}

/** The last error of the server, or where its log is if this user may not read it. */
function reasonFromLog(): string {
  const unit = `_SYSTEMD_UNIT=${SERVICE}.service`
  const command = ['journalctl', '--quiet', '--no-pager', '--output=cat', '--lines=1', unit]
  const { stdout } = Bun.spawnSync(command, { stdio: ['ignore', 'pipe', 'ignore'] })
  return stdout.toString().trim() || `Its log: sudo journalctl --unit ${SERVICE}`
}

function requireRights(command: string): void {
  requireSystemd()
  if (process.geteuid?.() !== 0) {
    throw new StartError(`Only root can change services. Run: sudo bellhop service ${command}`)
  }
}

function requireSystemd(): void {
  if (existsSync(SYSTEMD_RUNS)) return
  throw new StartError(
    'systemd does not run here. Start "bellhop serve" with the service manager of this machine.',
  )
}

function hasUser(): boolean {
  return Bun.spawnSync(['id', '-u', SERVICE], { stdio: ['ignore', 'ignore', 'ignore'] }).exitCode === 0
}

/** Renamed into place, because the running program can't be overwritten. */
function copyProgram(): void {
  const draft = `${PROGRAM_FILE}.new`
  copyFileSync(process.execPath, draft)
  chmodSync(draft, 0o755)
  renameSync(draft, PROGRAM_FILE)
}

function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  if (exitCode === 0) return stdout.toString()
  throw new StartError(`"${command.join(' ')}" failed: ${stderr.toString().trim().split('\n')[0]}`)
}
