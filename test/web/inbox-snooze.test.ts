import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { goToList, makeTickets, openList, rowOf } from '../support/inbox.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const ZONE = 'Europe/Berlin'

const bellhop = await sharedBellhop()

browserTest('a ticket is put away with a reason by keys alone, found under Snoozed, and undone', async () => {
  const page = await openSnooze()
  await page.getByLabel('Why').fill('call the carrier')
  await page.keyboard.press('Enter')
  await page.keyboard.type('tomorrow 14:30')
  await page.keyboard.press('Enter')
  await rowOf(page, 'Late parcel').getByText('Snoozed until').waitFor()
  await goToList(page, 'z')
  await rowOf(page, 'Late parcel').getByText('Until tomorrow').waitFor()
  await rowOf(page, 'Late parcel').getByText('call the carrier').waitFor()
  await rowOf(page, 'Late parcel').click()
  await page.locator('.snooze-line').getByText('call the carrier').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Wake now' }).click()
  await page.locator('.snooze-line').waitFor({ state: 'detached' })
})

browserTest('a date in another year is shown with its year before it is chosen, and after', async () => {
  const page = await openSnooze()
  await page.keyboard.type('1 jan 0:00')
  const year = new RegExp(`1 Jan ${new Date().getFullYear() + 1}`)
  await page.getByRole('option', { name: year }).waitFor()
  await page.keyboard.press('Enter')
  await rowOf(page, 'Late parcel').getByText(year).waitFor()
  await page.locator('.toaster-toast').getByText(year).waitFor()
})

browserTest('“tomorrow 9:00” is nine for the agent, also when the clocks change at night', async () => {
  const { client, ben } = await openWorkspace(bellhop, { subject: 'Other' })
  const page = await openPage({ url: bellhop.url, agent: ben, timeZone: ZONE })
  for (const day of nextClockChanges()) {
    const subject = `Call on ${day.toString()}`
    const [ticket] = await makeTickets(client, [subject])
    const eve = day.subtract({ days: 1 }).toZonedDateTime({ timeZone: ZONE, plainTime: '16:30' })
    await page.clock.setFixedTime(eve.epochMilliseconds)
    await openList(page, '/inbox/open')
    await rowOf(page, subject).waitFor()
    await page.keyboard.press('s')
    await page.getByRole('combobox', { name: 'Time' }).waitFor()
    await page.keyboard.type('tomorrow 9:00')
    await page.keyboard.press('Enter')
    await rowOf(page, subject).getByText('Snoozed until tomorrow').waitFor()
    const nine = day.toZonedDateTime({ timeZone: ZONE, plainTime: '09:00' })
    expect(eve.until(nine).total('hours')).not.toBe(16.5)
    await eventually(async () => {
      const { json } = await client.call<{ snoozedUntil?: string }>('GET', `/tickets/${ticket?.id}`)
      return Date.parse(json.snoozedUntil ?? '') === nine.epochMilliseconds
    })
  }
})

browserTest('an @ in a note mentions a colleague, who finds the note under Mentions', async () => {
  const { ben, ticket } = await openWorkspace(bellhop, { subject: 'Where is it?' })
  const ana = await signInAgent(bellhop, ben.orgId, { name: 'Ana Lima' })
  const page = await openTicket(bellhop, ben, ticket.id)
  await page.keyboard.press('r')
  await page.keyboard.type('me @home ')
  expect(await page.getByRole('combobox', { name: 'Mention' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await page.keyboard.type('Hi @')
  await page.getByRole('combobox', { name: 'Mention' }).waitFor()
  await page.getByText('away').waitFor()
  await page.keyboard.type('ana')
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Mention' }).waitFor({ state: 'detached' })
  await page.keyboard.type('could you ask?')
  await page.keyboard.press('Control+Enter')
  await page.locator('.thread .formatted-text-mention', { hasText: '@Ana Lima' }).waitFor()

  const hers = await openPage({ url: bellhop.url, agent: ana })
  await openList(hers, '/inbox/mentions')
  await rowOf(hers, 'Where is it?').getByText('Ben Okafor: Hi @Ana Lima could you ask?').waitFor()
  await hers.getByRole('link', { name: 'Mentions 1' }).waitFor()
  await rowOf(hers, 'Where is it?').click()
  await hers.locator('.thread .formatted-text-mention').waitFor()
  await hers.getByRole('link', { name: 'Mentions 1' }).waitFor({ state: 'detached' })
  await hers.getByRole('button', { name: 'Following' }).waitFor()
})

/** The list of open tickets, with *Late parcel* on top and its Snooze open. */
async function openSnooze(): Promise<Page> {
  const { client, ben } = await openWorkspace(bellhop, { subject: 'Other' })
  await makeTickets(client, ['Late parcel'])
  const page = await openPage({ url: bellhop.url, agent: ben })
  await openList(page, '/inbox/open')
  await page.keyboard.press('s')
  await page.getByRole('combobox', { name: 'Time' }).waitFor()
  return page
}

/** The next two days that begin with one time of the year and go on with the other, in spring and in fall. */
function nextClockChanges(): Temporal.PlainDate[] {
  const changes: Temporal.PlainDate[] = []
  let at = Temporal.Now.zonedDateTimeISO(ZONE).add({ days: 2 })
  while (changes.length < 2) {
    const next = at.getTimeZoneTransition('next')
    if (!next) throw new Error(`The clocks of ${ZONE} never change.`)
    changes.push(next.toPlainDate())
    at = next
  }
  return changes
}
