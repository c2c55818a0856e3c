import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'
import { saveOauthClient } from '../../server/channels/email/oauth/oauth-clients.ts'
import { encryptTokens } from '../../server/channels/email/oauth/oauth-tokens.ts'
import { createWidget } from '../../server/channels/widget/widgets/widgets.ts'
import { readConfig } from '../../server/config.ts'
import { mailboxes } from '../../server/database/tables/mailboxes.ts'
import { widgets } from '../../server/database/tables/widgets.ts'
import type { Deps } from '../../server/deps.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { startService } from '../../server/service.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { freshPlace } from '../support/engine.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { storeBot } from '../support/stored-bot.ts'

const SECRETS: Record<string, (deps: Deps, orgId: string) => Promise<unknown>> = {
  'an endpoint': (deps, orgId) =>
    createEndpoint(deps, orgId, { url: 'https://example.com/hook', events: ['ticket.created'] }),
  'a mailbox with a password': async (deps, orgId) => {
    const { id } = await createMailbox(deps, orgId, newMailbox())
    // Otherwise the server would connect.
    await pauseMailbox(deps, orgId, id)
  },
  'a mailbox with tokens': async (deps, orgId) => {
    const { imap: _imap, smtp: _smtp, ...rest } = newMailbox()
    const { id } = await createMailbox(deps, orgId, { ...rest, signIn: 'google' })
    const answer = { accessToken: 'access', refreshToken: 'refresh', expiresIn: 3_600 }
    const tokens = encryptTokens(deps, id, answer, 'refresh')
    await deps.database.write(undefined, async (tx) => {
      await tx.update(mailboxes).set({ tokens, state: 'paused' })
    })
  },
  'an OAuth client': (deps, orgId) =>
    saveOauthClient(deps, orgId, 'google', { clientId: 'client', clientSecret: 'secret' }),
  'a Telegram bot': (deps, orgId) => storeBot({ deps }, orgId),
  'a widget': (deps, orgId) => createWidget(deps, orgId, { name: 'Shop', origins: ['https://shop.example'] }),
}

test.each(Object.entries(SECRETS))(
  'the server does not start with another key than the one that encrypted the secret of %s',
  async (_name, store) => {
    const place = await freshPlace()
    const known = { ...place, BELLHOP_SECRET: 'the key that was used first' }
    const deps = await openDeps(readConfig(known))
    await store(deps, (await createOrganization(deps, { name: 'Acme' })).id)
    await deps.database.close()
    const start = (settings: Record<string, string>) => startService(readConfig({ PORT: '0', ...settings }))
    await expect(start({ ...place, BELLHOP_SECRET: 'a key that came later' })).rejects.toThrow(
      /encrypted with another key/,
    )
    const right = await start(known)
    expect((await fetch(`${right.url}/health/ready`)).status).toBe(200)
    await right.stop()
  },
)

test('the server does not start when it cannot read the secret of any one widget', async () => {
  const place = await freshPlace()
  const deps = await openDeps(readConfig(place))
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const add = (name: string) => createWidget(deps, orgId, { name, origins: ['https://shop.example'] })
  await add('Shop')
  const { widget } = await add('Blog')
  await deps.database.write(undefined, async (tx) => {
    await tx
      .update(widgets)
      .set({ previousIdentitySecret: deps.encryption.encrypt('secret', 'another owner') })
      .where(eq(widgets.id, widget.id))
  })
  await deps.database.close()
  await expect(startService(readConfig({ PORT: '0', ...place }))).rejects.toThrow(
    /encrypted with another key/,
  )
})
