import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { type Dovecot, startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { mailSettings } from '../support/mail/mailbox-service.ts'
import { type OauthServer, startOauthServer } from '../support/mail/oauth-server.ts'
import { type Postfix, startPostfix } from '../support/mail/postfix.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { keepToasts, toastSaid } from '../support/momentary-text.ts'
import { eventually } from '../support/webhooks.ts'

const ADDRESS = 'support@helpdesk.test'
const PASSWORD = 'the right password'

describeWithMail('the settings of mailboxes', () => {
  let dovecot: Dovecot
  let postfix: Postfix
  let oauth: OauthServer
  let bellhop: Bellhop

  beforeAll(async () => {
    dovecot = await startDovecot({ users: { [ADDRESS]: PASSWORD } })
    postfix = await startPostfix({ dovecot })
    oauth = await startOauthServer()
    const google = { BELLHOP_GOOGLE_OAUTH: new URL(oauth.tokenEndpoint).origin }
    bellhop = await startBellhop({ settings: { ...(await mailSettings()), ...google } })
  })
  afterAll(async () => {
    await bellhop.stop()
    await Promise.all([oauth.stop(), postfix.stop()])
    await dovecot.stop()
  })

  async function admin(): Promise<SignedInAgent> {
    const { orgId } = await bellhop.organization('Acme')
    return signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
  }

  async function add(agent: SignedInAgent, given: object = {}): Promise<string> {
    const body = { ...newMailbox(), ...given }
    const made = await agent.call<{ id: string }>('POST', '/console/mailboxes', { body })
    expect(made.status, made.text).toBe(201)
    return made.json.id
  }

  browserTest('a mailbox is tested step by step, added, and receives mail', async () => {
    await dovecot.createFolder(ADDRESS, 'Customers')
    const page = await openPage({ url: bellhop.url, agent: await admin() })
    await page.goto('/settings/email')
    await page.getByText('No mailboxes yet').waitFor()
    await page.getByRole('link', { name: 'Add mailbox' }).first().click()
    await page.getByLabel('Email address').fill(ADDRESS)
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
    const test = page.getByRole('button', { name: 'Test connection' })

    // The servers open, because something in them is missing.
    await test.click()
    const imap = page.getByRole('group', { name: 'Receive (IMAP)' })
    const smtp = page.getByRole('group', { name: 'Send (SMTP)' })
    await imap.getByLabel('Server').and(page.locator('[aria-invalid="true"]')).waitFor()
    await smtp.getByLabel('Server').and(page.locator('[aria-invalid="true"]')).waitFor()
    await imap.getByLabel('Server').and(page.locator(':focus')).waitFor()

    await imap.getByLabel('Server').fill('127.0.0.1')
    await imap.getByLabel('Port').fill(String(dovecot.imapsPort))
    await smtp.getByLabel('Server').fill('127.0.0.1')
    await smtp.getByLabel('Port').fill(String(postfix.submissionsPort))
    await test.click()
    const receiving = page.getByRole('region', { name: 'Receive (IMAP)' })
    await receiving.getByText('127.0.0.1 refused the sign-in').waitFor()
    expect(await marksOf(receiving)).toEqual(['Passed', 'Passed', 'Passed', 'Failed', 'Not tried'])
    await receiving.getByText('Check the user name and the password.').waitFor()
    expect(await marksOf(page.getByRole('region', { name: 'Round trip' }))).toEqual(['Not tried'])

    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await test.click()
    await page.getByText('Everything works. A message left this mailbox and came back.').waitFor()
    // Without scrolling, below a long form.
    await eventually(() => isInView(page, '.connection-test'))

    // The test knows the folders.
    await page.getByText('Options', { exact: true }).click()
    await page.getByRole('button', { name: 'Folders to read: INBOX' }).click()
    await page.getByRole('option', { name: 'Customers' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Folders to read: INBOX, Customers' }).waitFor()
    await page.getByRole('button', { name: 'Add mailbox' }).click()
    await page.getByRole('heading', { level: 1, name: ADDRESS }).waitFor()
    await page.getByText('Connected', { exact: true }).waitFor()
    expect(await isInView(page, 'h1')).toBe(true)
    await page.getByText('Receives mail. No mail has been sent yet.').waitFor()
    // The test found this out before the mailbox was added.
    await factOf(page, 'Reply address').getByText('support+…@helpdesk.test, which arrives here.').waitFor()

    const dkim = page.getByRole('region', { name: 'DKIM' })
    await dkim.getByLabel('Domain').fill('other.test')
    await dkim.getByRole('button', { name: 'Create key' }).click()
    await dkim.getByText(`Must be the domain of ${ADDRESS}, or a parent domain.`).waitFor()
    await dkim.getByLabel('Domain').fill('helpdesk.test')
    await dkim.getByRole('button', { name: 'Create key' }).click()
    await dkim.getByText('bellhop._domainkey.helpdesk.test').waitFor()
    await dkim.getByText('v=DKIM1; k=rsa; p=').waitFor()
    await dkim.getByRole('switch', { name: 'Sign email from this mailbox' }).click()
    await page.getByText('Email is now signed.').waitFor()
    await dkim.getByRole('switch', { checked: true }).waitFor()

    const sender = 'From: cy@customer.test\r\n'
    dovecot.deliver(ADDRESS, `${sender}To: ${ADDRESS}\r\nSubject: Hi\r\n\r\nHi\r\n`)
    await factOf(page, 'Last mail in').getByText('just now').waitFor()
    await factOf(page, 'Emails').getByText('all processed').waitFor()
    // The stored servers are tested, with the stored password.
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('Everything works.').waitFor()
    await page.getByRole('link', { name: 'View received mail' }).click()
    await page.getByRole('link', { name: /Message.*cy@customer\.test.*Hi/ }).waitFor()
  })

  browserTest('faults appear at their fields, and settings are changed, paused, and removed', async () => {
    const agent = await admin()
    const id = await add(agent)
    await add(agent, { address: 'orders@acme.example' })
    const page = await openPage({ url: bellhop.url, agent })
    await page.goto(`/settings/email/${id}`)
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await page.getByLabel('Email address').fill('Orders@acme.example')
    await save.click()
    const address = page.locator('.field', { has: page.getByLabel('Email address') })
    await address.getByText('There is already a mailbox with the address Orders@acme.example.').waitFor()

    await page.getByLabel('Email address').fill('jörg@büro.example')
    await page.getByText('Servers', { exact: true }).click()
    const receive = page.getByRole('group', { name: 'Receive (IMAP)' })
    await receive.getByLabel('Server').fill('10.0.0.1')
    await save.click()
    await receive.getByText('10.0.0.1 is not a public address.').waitFor()
    await receive.getByLabel('Server').fill('imap.acme.example')
    await page.getByText('Options', { exact: true }).click()
    await page.getByLabel('Signature').focus()
    await page.keyboard.type('**Acme**')
    await save.click()
    await page.getByText('Mailbox saved.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'jörg@büro.example' }).waitFor()
    expect((await agent.call('GET', `/console/mailboxes/${id}`)).json).toMatchObject({
      address: 'jörg@büro.example',
      signature: '**Acme**',
      imap: { host: 'imap.acme.example', user: 'support@acme.example' },
      smtp: { host: 'smtp.acme.example', user: 'support@acme.example' },
    })

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The mailbox jörg@büro.example is paused.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()

    await page.getByRole('button', { name: 'Remove mailbox…' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Remove mailbox' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('remove')
    await dialog.getByRole('button', { name: 'Remove mailbox' }).click()
    const list = page.getByRole('list', { name: 'Mailboxes' })
    await list.getByRole('link', { name: /orders@acme\.example.*Default/ }).waitFor()
    expect(await list.getByRole('link').count()).toBe(1)
  })

  browserTest(
    'a Google mailbox is connected under the own client, and again after it was refused',
    async () => {
      const agent = await admin()
      const page = await openPage({ url: bellhop.url, agent })
      await keepToasts(page)
      const consents = await openProvider(page, oauth)
      await page.goto('/settings/email/new')
      await page.getByLabel('Email address').fill('ana@gmail.com')
      await page.getByRole('button', { name: 'Set up OAuth client…' }).click()
      const dialog = page.getByRole('dialog', { name: 'OAuth client for Google' })
      await dialog.getByText(`${bellhop.url}/console/oauth/callback`).waitFor()
      await dialog.getByLabel('Client ID').fill(oauth.clientId)
      await dialog.getByLabel('Client secret').fill(oauth.clientSecret)
      await dialog.getByRole('button', { name: 'Save client' }).click()
      await dialog.waitFor({ state: 'detached' })

      oauth.refuseConsent()
      oauth.signIn('ana@gmail.com')
      await leavesBy(page, 'Continue to Google')
      await toastSaid(page, "The sign-in was canceled. The mailbox isn't connected.")
      await page.getByText('Not signed in', { exact: true }).waitFor()
      await page.waitForURL((url) => url.search === '')

      await page.getByLabel('Account').fill('someone@acme.example')
      await leavesBy(page, 'Sign in with Google')
      await toastSaid(page, 'Signed in. Bellhop is connecting to the mailbox.')
      expect(consents.map((url) => url.searchParams.get('login_hint'))).toEqual([
        'ana@gmail.com',
        'someone@acme.example',
      ])
      expect((await agent.call('GET', '/console/mailboxes')).json).toMatchObject({
        data: [{ signIn: 'google', isSignedIn: true, imap: { host: 'imap.gmail.com' } }],
      })
    },
  )
})

/** What the marks before the steps say, in order. */
function marksOf(side: ReturnType<Page['getByRole']>): Promise<(string | null)[]> {
  return side.getByRole('img').evaluateAll((marks) => marks.map((mark) => mark.getAttribute('aria-label')))
}

function factOf(page: Page, name: string) {
  return page.locator('.detail-list > div', { has: page.getByText(name, { exact: true }) })
}

/** Goes to the provider and back. A locator that waits while the page is replaced can miss what the next one shows. */
async function leavesBy(page: Page, button: string): Promise<void> {
  const back = page.waitForEvent('load')
  await page.getByRole('button', { name: button }).click()
  await back
}

/** The browser doesn't trust the private authority, so the provider's page is opened for it. Returns what it was sent to. */
async function openProvider(page: Page, oauth: OauthServer): Promise<URL[]> {
  const opened: URL[] = []
  await interceptRequests(page, `${oauth.authorizationEndpoint}*`, async (route) => {
    opened.push(new URL(route.request().url()))
    const back = await oauth.consent(route.request().url())
    await route.fulfill({ status: 302, headers: { location: back.href } })
  })
  return opened
}

/** Whether all of it is on the screen. */
function isInView(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
}
