import type { Browser } from 'playwright-core'
import { createAgent } from '../../server/agents/agents.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { startedBrowser } from '../support/browser.ts'
import { addLongThread } from '../support/mail/long-thread.ts'
import { requireBuiltWeb } from '../support/web.ts'
import { startProduct } from './child.ts'
import { whenPainted } from './page-clock.ts'
import { median, type Result } from './result.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

const MAILS = 300
const QUOTED = 30_000
/** Older than the others in the list, so that the page has not loaded it before it is opened. */
const NEWER_TICKETS = 12
const ROUNDS = 7
const AGENT = { name: 'Ana Pires', email: 'ana@acme.example', password: 'a long enough password' }
const SUBJECT = 'The long one'

/** A ticket of 300 mails that quote 30 KB each: from the click in the list to its newest messages on the screen. */
export async function benchThread(): Promise<Result[]> {
  await requireBuiltWeb()
  const workspace = await makeWorkspace()
  await fill(workspace)
  const server = await startProduct(workspace.folder)
  const browser = await startedBrowser()
  try {
    return await opened(browser, `http://127.0.0.1:${server.port}`)
  } finally {
    await browser.close()
    await server.stop()
    workspace.remove()
  }
}

async function opened(browser: Browser, url: string): Promise<Result[]> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email').fill(AGENT.email)
  await page.getByLabel('Password', { exact: true }).fill(AGENT.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/inbox**')
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto(`${url}/inbox/open`, { waitUntil: 'networkidle' })
    const row = page.locator('[role=option]', { hasText: SUBJECT })
    await row.waitFor()
    const painted = whenPainted(page, '.message-group')
    await row.click()
    times.push(await painted)
  }
  const bytes = await page.evaluate(async () => {
    const id = location.pathname.split('/').at(-1)
    return (await (await fetch(`/console/tickets/${id}`)).arrayBuffer()).byteLength
  })
  const detail = times.map((time) => time.toFixed(0)).join(', ')
  return [
    most(`a thread of ${MAILS} mails, click to paint`, median(times), 300, 'ms', detail),
    most('the same on the wire, uncompressed', bytes / 1024, 1_000, 'KiB', `${MAILS} × ${QUOTED} quoted`),
  ]
}

async function fill({ folder, orgId }: Workspace): Promise<void> {
  const log = createLog('error', false, () => {}, Date.now)
  const deps = await openDeps(readConfig({ BELLHOP_DATA: folder }), { log })
  await createAgent(deps, orgId, { ...AGENT, role: 'admin' })
  const customer = { name: 'Ana Pires', email: 'ana@customer.test' }
  const { id } = await createTicket(deps, orgId, { subject: SUBJECT, customer, message: 'Hello' })
  await addLongThread(deps, { orgId, ticketId: id }, { mails: MAILS, quoted: QUOTED })
  for (let number = 0; number < NEWER_TICKETS; number += 1) {
    await createTicket(deps, orgId, { subject: `Ticket ${number}`, customer, message: 'Hello' })
  }
  await deps.database.close()
}

function most(name: string, measured: number, target: number, unit: Result['unit'], detail: string): Result {
  return { name, measured, unit, target, wanted: 'at most', detail }
}
