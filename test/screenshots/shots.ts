import type { Page } from 'playwright-core'

/** One picture: where the browser goes, and what is done there first. */
export interface Shot {
  name: string
  path: string
  as?: 'admin' | 'agent' | 'nobody'
  /** Before the first organization. */
  onEmptyServer?: boolean
  prepare?(page: Page): Promise<unknown>
}

const FIRST_ROW = '[role=option]'

/** What there is to see of the product, page by page. `ids` are of the demo. */
export function shotsOf(ids: { longThread: string; failedSend: string; joinPath: string }): Shot[] {
  return [...signedOut(ids.joinPath), ...inbox(ids), ...settings()]
}

function signedOut(joinPath: string): Shot[] {
  return [
    { name: 'sign-in', path: '/sign-in', as: 'nobody' },
    {
      name: 'sign-in-refused',
      path: '/sign-in',
      as: 'nobody',
      async prepare(page) {
        await page.getByLabel('Email').fill('ana@parcelbird.example')
        await page.getByLabel('Password', { exact: true }).fill('not the password')
        await page.keyboard.press('Enter')
        await page.getByRole('alert').first().waitFor()
      },
    },
    { name: 'join', path: joinPath, as: 'nobody' },
    { name: 'join-link-ended', path: '/join', as: 'nobody' },
    { name: 'welcome', path: '/welcome#token', onEmptyServer: true },
    { name: 'first-run', path: '/sign-in', onEmptyServer: true },
  ]
}

function inbox({ longThread, failedSend }: { longThread: string; failedSend: string }): Shot[] {
  const views = ['mine', 'unassigned', 'open', 'pending', 'resolved', 'failed', 'spam']
  return [
    ...views.map((view) => ({ name: `inbox-${view}`, path: `/inbox/${view}` })),
    { name: 'inbox-unknown-view', path: '/inbox/nowhere' },
    { name: 'inbox-unknown-ticket', path: '/inbox/open/tkt_00000000000000000000000000' },
    { name: 'inbox-search', path: '/inbox/search?q=invoice' },
    { name: 'inbox-search-empty', path: '/inbox/search?q=xylophone%20status%3Aopen' },
    {
      name: 'inbox-search-suggestions',
      path: '/inbox/open',
      async prepare(page) {
        await page.keyboard.press('/')
        await page.keyboard.type('sta')
      },
    },
    { name: 'inbox-selection', path: '/inbox/open', prepare: (page) => press(page, 'j x Shift+J Shift+J') },
    { name: 'inbox-palette', path: '/inbox/open', prepare: (page) => press(page, 'Control+k') },
    { name: 'inbox-keys', path: '/inbox/open', prepare: (page) => press(page, '?') },
    { name: 'ticket', path: '/inbox/open', prepare: openFirst },
    { name: 'ticket-suggested', path: '/inbox/suggested', prepare: openFirst },
    {
      name: 'ticket-note',
      path: '/inbox/open',
      async prepare(page) {
        await openFirst(page)
        await press(page, 'n')
        await page.keyboard.type('The warehouse says it left on Tuesday. Waiting for the tracking number.')
      },
    },
    {
      name: 'ticket-assign',
      path: '/inbox/open',
      async prepare(page) {
        await openFirst(page)
        await press(page, 'a')
      },
    },
    {
      name: 'ticket-tags',
      path: '/inbox/open',
      async prepare(page) {
        await openFirst(page)
        await press(page, 't')
      },
    },
    {
      name: 'ticket-waiting-reply',
      path: `/inbox/open/${longThread}`,
      async prepare(page) {
        await page.getByRole('button', { name: /earlier messages/ }).click()
        await press(page, 'r')
        await page.keyboard.type('You are welcome. See you on Monday at 7:15!')
        await press(page, 'Control+Enter')
        await page.getByRole('article', { name: 'Queued reply' }).waitFor()
      },
    },
    { name: 'ticket-long', path: `/inbox/open/${longThread}` },
    {
      name: 'ticket-telegram',
      path: '/inbox/search?q=channel%3Atelegram%20courier',
      async prepare(page) {
        await openFirst(page)
        await page.locator('audio').waitFor()
      },
    },
    { name: 'ticket-failed-send', path: `/inbox/failed/${failedSend}` },
    {
      name: 'ticket-offline',
      path: '/inbox/open',
      async prepare(page) {
        await openFirst(page)
        await page.context().setOffline(true)
        await page.evaluate(() => dispatchEvent(new Event('offline')))
        await page.waitForTimeout(3_000)
      },
    },
  ]
}

function settings(): Shot[] {
  const pages = [
    'account',
    'connected-programs',
    'start',
    'organization',
    'agents',
    'saved-replies',
    'tags',
    'audit',
    'widget',
    'email',
    'mails',
    'telegram',
    'keys',
    'endpoints',
    'deliveries',
    'nowhere',
  ]
  return [
    ...pages.map((page) => ({ name: `settings-${page}`, path: `/settings/${page}` })),
    { name: 'settings-list', path: '/settings' },
    { name: 'settings-no-permission', path: '/settings/keys', as: 'agent' },
    { name: 'settings-account-agent', path: '/settings/account', as: 'agent' },
    {
      name: 'settings-new-mailbox',
      path: '/settings/email/new',
      async prepare(page) {
        await page.getByLabel('Email address').fill('support@fastmail.com')
        await page.getByText('Make an app password').waitFor()
      },
    },
    {
      name: 'settings-oauth-client',
      path: '/settings/email',
      prepare: (page) => pressButton(page, 'Set up Microsoft'),
    },
    { name: 'settings-mailbox', path: '/settings/email', prepare: followFirst('/settings/email/mbx_') },
    {
      name: 'settings-new-bot',
      path: '/settings/telegram',
      prepare: (page) => pressButton(page, 'Add bot'),
    },
    { name: 'settings-bot', path: '/settings/telegram', prepare: followFirst('/settings/telegram/bot_') },
    { name: 'settings-mail', path: '/settings/mails', prepare: followFirst('/settings/mails/eml_') },
    { name: 'settings-endpoint', path: '/settings/endpoints', prepare: followFirst('/settings/endpoints/') },
    {
      name: 'settings-delivery',
      path: '/settings/deliveries?state=failed',
      prepare: followFirst('/settings/deliveries/'),
    },
    {
      name: 'settings-saved-reply',
      path: '/settings/saved-replies',
      prepare: followFirst('/settings/saved-replies/svr_'),
    },
    { name: 'settings-new-key', path: '/settings/keys', prepare: (page) => pressButton(page, 'New key') },
    {
      name: 'settings-key-secret',
      path: '/settings/keys',
      async prepare(page) {
        await pressButton(page, 'New key')
        await page.getByRole('dialog').getByLabel('Name').fill('Website')
        await press(page, 'Enter')
        await page.getByLabel('API key', { exact: true }).waitFor()
      },
    },
    {
      name: 'settings-new-endpoint',
      path: '/settings/endpoints',
      prepare: (page) => pressButton(page, /new endpoint/i),
    },
    { name: 'settings-invite', path: '/settings/agents', prepare: (page) => pressButton(page, /invite/i) },
  ]
}

async function openFirst(page: Page): Promise<void> {
  await page.locator(FIRST_ROW).first().click()
  await page.locator('.composer-field').waitFor()
}

function followFirst(prefix: string): (page: Page) => Promise<void> {
  return (page) => page.locator(`a[href*="${prefix}"]`).first().click()
}

function pressButton(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name }).first().click()
}

async function press(page: Page, keys: string): Promise<void> {
  await page.locator('main, [role=listbox]').first().waitFor()
  for (const key of keys.split(' ')) await page.keyboard.press(key)
}
