import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProduct } from './child.ts'
import { createRequest } from './create.ts'
import { load } from './load.ts'
import { pairs, type Result } from './result.ts'
import { fillTickets, makeWorkspace } from './workspace.ts'

const LOAD = { connections: 64, milliseconds: 4_000, status: 201 }
const DIFFERENT_REQUESTS = 5_000
/** A backup of them, from the copy to the check, takes about as long as the load lasts. */
const TICKETS = 100_000
const PAIRS = 5

/** `POST /v1/tickets` at 64 connections, while backups are made one after the other and while none is. */
export async function benchBackup(): Promise<Result[]> {
  const workspace = await makeWorkspace()
  fillTickets(workspace, TICKETS)
  const product = await startProduct(workspace.folder)
  const target = mkdtempSync(join(tmpdir(), 'bellhop-bench-backup-'))
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, number) =>
    createRequest(workspace.key, number),
  )
  const next = (number: number) => requests[number % DIFFERENT_REQUESTS] ?? new Uint8Array()
  const create = async () => (await load(product.port, { ...LOAD, next })).perSecond
  let made = 0

  async function createDuringBackup(): Promise<number> {
    let isOver = false
    const backups = (async () => {
      while (!isOver) {
        const command = [process.execPath, 'server/main.ts', 'backup', join(target, String(made))]
        const env = { BELLHOP_DATA: workspace.folder }
        const child = Bun.spawn(command, { env, stdio: ['ignore', 'ignore', 'inherit'] })
        if ((await child.exited) !== 0) throw new Error('A backup failed.')
        made += 1
      }
    })()
    const perSecond = await create()
    isOver = true
    await backups
    return perSecond
  }

  await create()
  const { ratio, one, other } = await pairs(PAIRS, createDuringBackup, create)
  await product.stop()
  workspace.remove()
  rmSync(target, { recursive: true })
  return [
    {
      name: 'POST a ticket while a backup is made / while none is',
      measured: ratio,
      unit: 'ratio',
      target: 0.8,
      wanted: 'at least',
      detail: `${Math.round(one)} / ${Math.round(other)} per second; ${TICKETS.toLocaleString('en')} tickets, ${made} backups`,
    },
  ]
}
