import { afterAll } from 'bun:test'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openDesk, openTicket } from '../support/desk.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('what is typed the moment a picker opens is searched for, to the first letter', async () => {
  const { ben, ticket } = await openDesk(bellhop)
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await Promise.all(['t', 'e', 'i', 's'].map((key) => page.keyboard.press(key)))
  await page.getByRole('option', { name: /“eis”/ }).waitFor()
})
