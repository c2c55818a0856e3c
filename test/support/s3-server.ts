import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Client } from 'bun'
import { reservePort } from './mail/ports.ts'

/** Where `bun run programs` installs it. */
const PROGRAM = join(import.meta.dir, '../programs/python/bin/moto_server')
const FOUND = existsSync(PROGRAM) ? PROGRAM : Bun.which('moto_server')

export interface S3Server extends AsyncDisposable {
  url: string
  /** Settings of a server that puts its backups here. */
  settings: Record<string, string>
  /** Settings of a server that keeps its files here, in an empty place. Through `port`, if it is given. */
  filesSettings(port?: number): Record<string, string>
  /** Names of backups. */
  names(): Promise<string[]>
  /** Hashes of the files in the place of these settings. */
  hashes(settings: Record<string, string>): Promise<string[]>
  client: S3Client
  setVersioning(status: 'Enabled' | 'Suspended'): Promise<void>
}

const BUCKET = 'backups'
const KEYS = { accessKeyId: 'key', secretAccessKey: 'secret' }

/** Starts a server that speaks the S3 protocol, with an empty bucket. Undefined, with a warning, where there is none. */
export async function startS3(): Promise<S3Server | undefined> {
  if (!FOUND) {
    console.warn('The tests on S3 are skipped: moto is not installed. Run: bun run programs')
    return undefined
  }
  const port = reservePort()
  const child = Bun.spawn([FOUND, '-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${url}/${BUCKET}`, { method: 'PUT' }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isUp())) await Bun.sleep(50)
  const client = new Bun.S3Client({ bucket: BUCKET, endpoint: url, region: 'us-east-1', ...KEYS })
  const keys = { AWS_ACCESS_KEY_ID: KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey }
  return {
    url,
    client,
    settings: { BELLHOP_BACKUP: `s3://${BUCKET}/support`, ...keys, AWS_ENDPOINT_URL_S3: url },
    filesSettings: (through = port) => ({
      BELLHOP_FILES: `s3://${BUCKET}/${crypto.randomUUID()}`,
      ...keys,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${through}`,
    }),
    async setVersioning(status) {
      const body = `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`
      await fetch(`${url}/${BUCKET}?versioning`, { method: 'PUT', body })
    },
    async hashes({ BELLHOP_FILES = '' }) {
      const prefix = `${BELLHOP_FILES.slice(`s3://${BUCKET}/`.length)}/`
      const { contents = [] } = await client.list({ prefix })
      return contents
        .map(({ key }) => key.slice(prefix.length))
        .map((name) => name.slice(name.indexOf('/') + 1))
    },
    async names() {
      const { contents = [] } = await client.list({ prefix: 'support/' })
      return contents.map(({ key }) => key.slice('support/'.length))
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
