import { createMailDialer } from '../../../server/channels/email/mail-account.ts'
import { listMailboxes } from '../../../server/channels/email/mailboxes/mailboxes.ts'
import { accessTokenOf } from '../../../server/channels/email/oauth/oauth-tokens.ts'
import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/open-deps.ts'

// Renews the access token of the organization's mailbox until it is killed, and says each token.

for await (const _ of Bun.stdin.stream());
const [orgId = ''] = process.argv.slice(2)
const deps = await openDeps(readConfig())
const dialer = createMailDialer(deps)
const [mailbox] = await listMailboxes(deps, orgId)
if (!mailbox) throw new Error('There is no mailbox.')
for (;;) {
  const token = await accessTokenOf(deps, dialer, mailbox, { maxAgeMs: -1 }).catch((error) => String(error))
  process.stdout.write(`${token}\n`)
}
