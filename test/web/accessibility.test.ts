import { afterAll, beforeAll, expect } from 'bun:test'
import { inviteAgent } from '../../server/agents/links.ts'
import { accessibilityFaults } from '../support/axe.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'

let bellhop: Bellhop
const paths: string[] = []

beforeAll(async () => {
  bellhop = await startBellhop()
  const { orgId } = await bellhop.organization('Acme')
  const invited = { name: 'Ben', email: 'ben@acme.example', role: 'agent' } as const
  const { link } = await inviteAgent(bellhop.deps, orgId, invited)
  paths.push('/sign-in', '/welcome', `/welcome#${bellhop.welcomeToken}`, '/join', `/join#${link.token}`)
})
afterAll(() => bellhop.stop())

for (const theme of ['light', 'dark'] as const) {
  browserTest(`the pages before signing in are for everybody, ${theme}`, async () => {
    for (const path of paths) {
      await using window = await openWindow({ url: bellhop.url, theme })
      await window.page.goto(path)
      await window.page.getByRole('heading').first().waitFor()
      expect([path, await accessibilityFaults(window.page)]).toEqual([path, []])
    }
  })
}
