import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { reservePort } from './mail/ports.ts'

/** Where `bun run programs` installs it. */
const PROGRAM = join(import.meta.dir, '../programs/python/bin/moto_server')
const FOUND = existsSync(PROGRAM) ? PROGRAM : Bun.which('moto_server')

export interface S3Server extends AsyncDisposable {
  url: string
  /** Settings of a server that puts its backups here. */
  settings: Record<string, string>
  /** Names in the bucket. */
  names(): Promise<string[]>
}

const BUCKET = 'backups'
const KEYS = { accessKeyId: 'key', secretAccessKey: 'secret' }

/** Starts a server that speaks the S3 protocol, with an empty bucket. Undefined, with a warning, where there is none. */
export async function startS3(): Promise<S3Server | undefined> {
  if (!FOUND) {
    console.warn('The tests of backups on S3 are skipped: moto is not installed. Run: bun run programs')
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
  return {
    url,
    settings: {
      BELLHOP_BACKUP: `s3://${BUCKET}/support`,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_ENDPOINT_URL_S3: url,
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
