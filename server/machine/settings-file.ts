import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '../errors.ts'
import { fileSettingOf, refuseMisspelledSettings, SECRET_SETTINGS } from './setting-names.ts'

export type Environment = Record<string, string | undefined>

/** Those of the service that `bellhop service install` makes. */
export const SETTINGS_FILE = '/etc/bellhop/bellhop.env'
export const DATA_FOLDER = '/var/lib/bellhop'
/** Beside the data, for installations without a service. */
const NAME_IN_DATA_FOLDER = 'bellhop.env'
const DEFAULT_DATA_FOLDER = './data'
/** Settings and secrets are short. A larger file is another one. */
const MAX_BYTES = 64 * 1024
const OPTION = '--env-file'

let fault: ConfigError | undefined

/**
 * Adds the settings of the settings file to the environment of this process, before anything reads a setting. Returns the
 * arguments without `--env-file`. A fault is thrown when the settings are needed, so that help works without them.
 */
export function loadSettings(args: string[]): string[] {
  try {
    const { chosen, others } = takeOption(args)
    const settings = readSettings(process.env, chosen)
    for (const name of Object.keys(process.env)) if (!(name in settings)) delete process.env[name]
    Object.assign(process.env, settings)
    return others
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    fault = error
    return takeOption(args).others
  }
}

/** The environment with the settings of the file. Throws `ConfigError` when they couldn't be read. */
export function loadedEnvironment(): Environment {
  if (fault) throw fault
  return process.env
}

/**
 * A key of the API and the address of a server, for commands that call one from any machine. A settings file that can't be
 * read, such as that of a service on the same machine, matters only if something is missing.
 */
export function remoteSettings(): { key: string | undefined; url: string | undefined } {
  const { BELLHOP_KEY, BELLHOP_URL } = process.env.BELLHOP_KEY ? process.env : loadedEnvironment()
  return { key: BELLHOP_KEY || undefined, url: BELLHOP_URL || undefined }
}

/**
 * The environment with what it doesn't set from the settings file, and with the secrets of `NAME_FILE`. The file is
 * `chosen`, or else that of the service, or else `bellhop.env` in the data folder. Throws `ConfigError`.
 */
function readSettings(environment: Environment, chosen?: string): Environment {
  return withSecrets({ ...fromFile(environment, chosen), ...environment })
}

function takeOption(args: string[]): { chosen?: string; others: string[] } {
  const at = args.findIndex((one) => one === OPTION || one.startsWith(`${OPTION}=`))
  const end = args.indexOf('--')
  if (at < 0 || (end >= 0 && end < at)) return { others: args }
  const isOneWord = args[at] !== OPTION
  const chosen = isOneWord ? args[at]?.slice(OPTION.length + 1) : args[at + 1]
  return { chosen: chosen ?? '', others: args.toSpliced(at, isOneWord ? 1 : 2) }
}

function fromFile(environment: Environment, chosen: string | undefined): Environment {
  if (chosen === '') throw new ConfigError(`${OPTION} needs the path of a file.`)
  if (chosen !== undefined) return withDataFolder(chosen, readFile(chosen))
  const ofService = existsSync(SETTINGS_FILE) ? settingsOfService(environment) : undefined
  if (ofService) return ofService
  const beside = join(environment.BELLHOP_DATA || DEFAULT_DATA_FOLDER, NAME_IN_DATA_FOLDER)
  if (!existsSync(beside)) return {}
  const settings = readFile(beside)
  if (settings.BELLHOP_DATA === undefined) return settings
  throw new ConfigError(`BELLHOP_DATA can't be set in ${beside}: that file is in the data folder already.`)
}

/** Undefined when the environment names another data folder: then it is about another installation. */
function settingsOfService({ BELLHOP_DATA }: Environment): Environment | undefined {
  const isElsewhere = BELLHOP_DATA && resolve(BELLHOP_DATA) !== DATA_FOLDER
  let settings: Environment
  try {
    settings = withDataFolder(SETTINGS_FILE, readFile(SETTINGS_FILE))
  } catch (error) {
    if (isElsewhere) return undefined
    throw error
  }
  const isOurs = !BELLHOP_DATA || resolve(BELLHOP_DATA) === resolve(settings.BELLHOP_DATA ?? '')
  return isOurs ? settings : undefined
}

/** A relative data folder is beside the file, wherever a command is run. */
function withDataFolder(file: string, settings: Environment): Environment {
  const { BELLHOP_DATA } = settings
  if (BELLHOP_DATA) return { ...settings, BELLHOP_DATA: resolve(dirname(file), BELLHOP_DATA) }
  return resolve(file) === SETTINGS_FILE ? { ...settings, BELLHOP_DATA: DATA_FOLDER } : settings
}

/** Lines of `NAME=value`. A value can be in quotes; `#` starts a comment line, and `export` is ignored. */
function readFile(file: string): Environment {
  const settings: Environment = {}
  for (const [index, line] of textOf(file, 'the settings').split('\n').entries()) {
    const text = line.trim()
    if (text === '' || /^[#;]/.test(text)) continue
    const [, name, value = ''] = /^(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(text) ?? []
    // The line isn't shown: it may hold a secret.
    if (name === undefined) throw new ConfigError(`Line ${index + 1} of ${file} must be NAME=value.`)
    settings[name] = unquote(value)
  }
  refuseMisspelledSettings(Object.keys(settings))
  return settings
}

function unquote(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(value) ?? []
  if (inner === undefined) return value
  return quote === '"' ? inner.replace(/\\(["\\$`])/g, '$1') : inner
}

/** Replaces each `NAME_FILE` by `NAME` with the content of its file. */
function withSecrets(environment: Environment): Environment {
  const settings = { ...environment }
  for (const name of SECRET_SETTINGS) {
    const named = fileSettingOf(name)
    const file = settings[named]
    delete settings[named]
    if (!file) continue
    if (settings[name]) throw new ConfigError(`Set either ${name} or ${named}, not both.`)
    settings[name] = textOf(file, named).trim()
    if (!settings[name]) throw new ConfigError(`${file} (${named}) is empty.`)
  }
  return settings
}

function textOf(file: string, what: string): string {
  try {
    if (statSync(file).size > MAX_BYTES) throw new Error('it is too large')
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === 'EACCES' && resolve(file) === SETTINGS_FILE) {
      throw new ConfigError(
        `This user can't read ${file}, the settings of the service. Run the command as: sudo -u bellhop bellhop …`,
      )
    }
    const reason = cause instanceof Error ? cause.message.replace(/^\w+: |, .*$/g, '') : ''
    throw new ConfigError(`${file} (${what}) can't be read: ${reason}.`)
  }
}
