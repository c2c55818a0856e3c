import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProduct } from './child.ts'
import { createRequest } from './create.ts'
import { fillInbox } from './full-inbox.ts'
import { load } from './load.ts'
import { pairs, type Result } from './result.ts'
import { AGENT, makeWorkspace } from './workspace.ts'

const TICKETS = 100_000
const LOAD = { connections: 64, milliseconds: 3_000, status: 201 }
const DIFFERENT_REQUESTS = 5_000
const ROOT = `${import.meta.dir}/../..`

/** `POST /v1/tickets` while one backup of 100,000 tickets after the other is made, against the same without. */
export async function benchBackup(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  fillInbox(workspace, TICKETS, AGENT)
  const target = mkdtempSync(join(tmpdir(), 'bellhop-bench-backup-'))
  const product = await startProduct(workspace.folder)
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) =>
    createRequest(workspace.key, number),
  )
  const next = (number: number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array()
  const create = async () => (await load(product.port, { ...LOAD, next })).perSecond
  let backups = 0
  await create()
  const { ratio, one, other } = await pairs(
    5,
    async () => {
      let isOver = false
      const backingUp = (async () => {
        while (!isOver) {
          backups += 1
          await makeBackup(workspace.folder, join(target, `${backups}.tar.zst`), () => isOver)
        }
      })()
      const perSecond = await create()
      isOver = true
      await backingUp
      return perSecond
    },
    create,
  )
  await product.stop()
  workspace.remove()
  rmSync(target, { recursive: true })
  return [
    {
      name: 'POST a ticket during a backup / without one',
      measured: ratio,
      unit: 'ratio',
      target: 0.8,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second, ${backups} backups begun`,
    },
  ]
}

/** In a process of its own, as the server does. Ends it early when the measurement is over. */
async function makeBackup(folder: string, file: string, isOver: () => boolean): Promise<void> {
  const child = Bun.spawn([process.execPath, 'server/main.ts', 'backup', file], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, BELLHOP_DATA: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const timer = setInterval(() => isOver() && child.kill(), 20)
  await child.exited
  clearInterval(timer)
}
