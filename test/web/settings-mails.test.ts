import { expect } from 'bun:test'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

const mail = (from: string, subject: string, id = subject) =>
  `From: ${from}\r\nTo: support@acme.example\r\nSubject: ${subject}\r\nMessage-ID: <${id}@customer.test>\r\n\r\nHello`

browserTest('received mail is filtered by outcome, opened, downloaded, and parsed again', async () => {
  const { orgId } = await bellhop.organization('Acme')
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const { fetched, mailboxId } = await openLedger(bellhop, orgId)
  await fetched(mail('Ana <ana@customer.test>', 'Missing invoice'))
  await fetched(mail('Ana <ana@customer.test>', 'Missing invoice'))
  await fetched(mail('no-reply@customer.test', 'Your parcel'))
  // As if an older version couldn't read it.
  const raw = mail('li@customer.test', 'Odd letters')
  const id = bellhop.deps.newId('eml')
  using file = await bellhop.deps.files.put(Buffer.from(raw))
  await bellhop.deps.database.write(undefined, async (tx) => {
    const now = bellhop.deps.clock.now()
    const place = { orgId, mailboxId, folder: 'INBOX', uidValidity: '1', uid: 99 }
    const { hash, size } = file
    const outcome = { outcome: 'quarantined' as const, reason: "Couldn't read this email: too odd." }
    await tx.insert(mails).values({ id, ...place, hash, size, ...outcome, receivedAt: now, createdAt: now })
  })
  const page = await openPage({ url: bellhop.url, agent: admin })
  await page.goto('/settings/mails')
  const rows = page.getByRole('list', { name: 'Received mail' }).getByRole('link')
  await page.getByRole('button', { name: 'All 4' }).waitFor()
  await eventually(async () => (await rows.count()) === 4)
  await page.getByRole('button', { name: 'Duplicate 1' }).click()
  await page.getByRole('link', { name: /Duplicate.*ana@customer\.test.*Missing invoice/ }).waitFor()
  await eventually(async () => (await rows.count()) === 1)
  await page.getByRole('button', { name: 'Bounce 0' }).click()
  await page.getByText('No matching email').waitFor()

  await page.getByRole('button', { name: 'Quarantine 1' }).click()
  await page.getByText("Couldn't read this email: too odd.").waitFor()
  await page.waitForURL((url) => url.search === '?outcome=quarantined')
  await rows.first().click()
  await page.getByText("Bellhop couldn't turn it into a message.").waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download original' }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toBe(`${id}.eml`)
  expect(await Bun.file(await saved.path()).text()).toBe(raw)

  await page.getByRole('button', { name: 'Parse again' }).click()
  await page.getByText('It became a message in a ticket.').waitFor()
  expect(await page.getByRole('button', { name: 'Parse again' }).count()).toBe(0)
  await page.getByRole('link', { name: /^tkt_/ }).click()
  await page.getByRole('heading', { name: 'Odd letters' }).waitFor()
})

browserTest('a duplicate becomes a ticket of its own, which its row names', async () => {
  const { orgId } = await bellhop.organization('Bolt')
  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const { fetched } = await openLedger(bellhop, orgId)
  const first = await fetched(mail('Ana <ana@customer.test>', 'Missing invoice'))
  const { id } = await fetched(mail('Ana <ana@customer.test>', 'Missing invoice'))
  const page = await openPage({ url: bellhop.url, agent: admin })
  await page.goto(`/settings/mails/${first.id}`)
  await page.getByText('It became a message in a ticket.').waitFor()
  expect(await page.getByRole('button', { name: 'Make a ticket of it' }).count()).toBe(0)
  await page.goto(`/settings/mails/${id}`)
  await page.getByRole('button', { name: 'Make a ticket of it' }).click()
  await page.getByText('It became a message in a ticket.').waitFor()
  const ticketId = (await page.getByRole('link', { name: /^tkt_/ }).textContent()) ?? ''
  expect(ticketId).not.toBe(first.ticketId ?? '')
  await page.goto('/settings/mails?outcome=message')
  await page.getByRole('link', { name: `#${ticketId.slice(-6)}` }).click()
  await page.getByRole('link', { name: ticketId }).click()
  await page.getByRole('heading', { name: 'Missing invoice' }).waitFor()
})
