/** Where automatic backups go. */
export type BackupPlace = { kind: 'folder'; path: string } | ({ kind: 's3' } & S3Place)

export interface S3Place {
  bucket: string
  /** Without slashes at its ends; empty for none. */
  prefix: string
  endpoint: string | undefined
  region: string | undefined
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

/** The settings that every S3 tool has, by their usual names. */
export const S3_SETTINGS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_ENDPOINT_URL_S3',
] as const

export type S3Settings = Partial<Record<(typeof S3_SETTINGS)[number], string>>

const S3_URL = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[^?#]*)?$/

/** Reads a folder's path or `s3://bucket/prefix`. Throws when it is neither, or when the keys of S3 are missing. */
export function readBackupPlace(value: string, settings: S3Settings): BackupPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { kind: 'folder', path: value }
  const [, bucket, path = ''] = S3_URL.exec(value) ?? []
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = settings
  if (!bucket || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error(value)
  return {
    kind: 's3',
    bucket,
    prefix: path.replace(/^\/+|\/+$/g, ''),
    endpoint: settings.AWS_ENDPOINT_URL_S3 || undefined,
    region: settings.AWS_REGION || undefined,
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN || undefined,
  }
}

/** Describes the place for people, without keys. */
export function describePlace(place: BackupPlace): string {
  if (place.kind === 'folder') return place.path
  return `s3://${place.bucket}${place.prefix && `/${place.prefix}`}`
}

/** Of each of the newest `count` units of time that have backups, the newest is kept. */
export interface KeptBackups {
  count: number
  unit: 'h' | 'd' | 'w' | 'm'
}

const KEPT = /^([1-9]\d{0,2})([hdwm])$/

/** Parses `7d,4w`. Throws for anything else. */
export function parseKeptBackups(value: string): KeptBackups[] {
  return value.split(',').map((part) => {
    const [, count, unit] = KEPT.exec(part.trim()) ?? []
    const known = (['h', 'd', 'w', 'm'] as const).find((one) => one === unit)
    if (!known) throw new Error(value)
    return { count: Number(count), unit: known }
  })
}
