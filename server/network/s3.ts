import { S3Client } from 'bun'

/** A bucket of Amazon S3 or of a service that speaks its protocol, and where in it. */
export interface S3Place {
  bucket: string
  /** Without slashes at its ends; empty for none. */
  prefix: string
  endpoint: string | undefined
  region: string
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

/** Reads `s3://bucket/prefix`. Throws when it is something else, or when the keys are missing. */
export function readS3Place(value: string, settings: S3Settings): S3Place {
  const [, bucket, path = ''] = S3_URL.exec(value) ?? []
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = settings
  if (!bucket || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) throw new Error(value)
  return {
    bucket,
    prefix: path.replace(/^\/+|\/+$/g, ''),
    endpoint: settings.AWS_ENDPOINT_URL_S3?.replace(/\/+$/, '') || undefined,
    // Otherwise Bun would take another one from the environment.
    region: settings.AWS_REGION || 'us-east-1',
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: settings.AWS_SESSION_TOKEN || undefined,
  }
}

/** Describes the place for people, without keys. */
export function describeS3({ bucket, prefix }: S3Place): string {
  return `s3://${bucket}${prefix && `/${prefix}`}`
}

export function openS3(place: S3Place): S3Client {
  const { bucket, endpoint, region, accessKeyId, secretAccessKey, sessionToken } = place
  return new S3Client({
    bucket,
    accessKeyId,
    secretAccessKey,
    region,
    ...(endpoint !== undefined && { endpoint }),
    ...(sessionToken !== undefined && { sessionToken }),
  })
}

/** The code of S3's answer, such as `AccessDenied`, or what else went wrong. */
export function reasonOfS3(cause: unknown): string {
  const code = codeOfS3(cause)
  if (code && code !== 'UnknownError') return code
  return cause instanceof Error ? cause.message : String(cause)
}

export function codeOfS3(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
