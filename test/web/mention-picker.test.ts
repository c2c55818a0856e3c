import { expect } from 'bun:test'
import { mentionMark } from '../../server/formatting/inline.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { draftBecomes } from '../support/threads.ts'
import { compose, editor, openTicket, openWorkspace, textIn } from '../support/ticket-page.ts'

const bellhop = await sharedBellhop()

/** A ticket with the cursor in a note, beside a colleague of the name. */
async function openNote(name: string) {
  const workspace = await openWorkspace(bellhop)
  const { id } = await signInAgent(bellhop, workspace.client.orgId, { name })
  const page = await openTicket(bellhop, workspace.ben, workspace.ticket.id)
  await page.keyboard.press('n')
  await editor(page).and(page.locator(':focus')).waitFor()
  const draftIs = (text: string) => draftBecomes(workspace.ben, workspace.ticket.id, { kind: 'note', text })
  return {
    page,
    mark: mentionMark({ of: 'agent', id, name }),
    draftIs,
    option: page.getByRole('option', { name }),
  }
}

browserTest(
  'an `@` in a note mentions a colleague, who is erased as one and shown in the thread',
  async () => {
    const { page, mark, draftIs, option } = await openNote('Dana Lee')
    const mention = editor(page).locator('[data-mention]')
    await page.keyboard.type('Ask @')
    await option.waitFor()
    await page.keyboard.type('dan')
    await page.keyboard.press('Enter')
    await mention.waitFor()
    await page.keyboard.type('first')
    expect(await textIn(page)).toBe('Ask @Dana Lee first')
    await draftIs(`Ask ${mark} first`)

    for (let left = ' first'.length; left > 0; left--) await page.keyboard.press('Backspace')
    expect(await textIn(page)).toBe('Ask @Dana Lee')
    await page.keyboard.press('Backspace')
    expect(await textIn(page)).toBe('Ask ')
    await page.keyboard.press('Control+z')
    await mention.waitFor()
    await draftIs(`Ask ${mark}`)

    await page.keyboard.press('Control+Enter')
    const shown = page.locator('.message-group[data-who=note] .formatted-text-mention')
    expect(await shown.textContent()).toBe('@Dana Lee')
  },
)

browserTest('an `@` that mentions no one is typed, also within a word', async () => {
  const { page, draftIs, option } = await openNote('Dana Lee')
  await page.keyboard.type('dana@lee.test at 5 @')
  await option.waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type(' noon')
  await draftIs('dana@lee.test at 5 @ noon')
})

browserTest('a colleague is found by an input method, which goes on after the mention', async () => {
  const { page, mark, draftIs, option } = await openNote('田中 花子')
  await compose(page, { steps: ['だ', 'だれ'], word: '誰か ' })
  await page.keyboard.type('@')
  await page.getByRole('combobox', { name: 'Mention' }).and(page.locator(':focus')).waitFor()
  await compose(page, { steps: ['た', 'たな', 'たなか'], word: '田中' })
  await option.waitFor()
  await page.keyboard.press('Enter')
  await editor(page).locator('[data-mention]').waitFor()
  await page.keyboard.press('Backspace')
  await compose(page, { steps: ['さ', 'さん'], word: 'さん' })
  await draftIs(`誰か ${mark}さん`)
})
