import { postgresPrograms } from '../support/postgres.ts'
import { findChromium, unpackChromium } from './chromium.ts'

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
