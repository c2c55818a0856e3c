import { t } from 'elysia'
import { MAILBOX_SIGN_INS } from '../../../database/tables/mailboxes.ts'
import { oneOf, orNull } from '../../../requests/schemas.ts'
import { replyProblem } from '../../../threads/schemas.ts'
import { HEALTH_STATES } from './mailbox-health.ts'
import { STEP_STATES, TEST_SIDES, TEST_STEPS } from './tested-step.ts'

const time = t.String({ format: 'date-time' })
const strict = { additionalProperties: false }

// Only limits. The verbs check the values and report all faults at once.
const line = t.String({ maxLength: 1_000 })
const markdown = t.String({ maxLength: 20_000 })
const security = oneOf(['tls', 'starttls'])
const signIn = oneOf(MAILBOX_SIGN_INS)

const serverInput = t.Object(
  {
    host: line,
    port: t.Integer(),
    security,
    user: line,
    password: t.Optional(t.String({ maxLength: 2_000 })),
  },
  strict,
)
const fields = {
  name: line,
  address: line,
  aliases: t.Array(line, { maxItems: 200 }),
  signIn,
  imap: serverInput,
  smtp: serverInput,
  folders: t.Array(line, { maxItems: 100 }),
  sentFolder: line,
  signature: markdown,
  defaultAssignee: orNull(t.String({ maxLength: 64 })),
  autoReply: markdown,
  authservId: line,
  hasSubaddresses: orNull(t.Boolean()),
  hasSubjectTokens: t.Boolean(),
}
const { name: _name, address: _address, ...others } = fields

export const newMailbox = t.Object(
  {
    name: line,
    address: line,
    ...t.Partial(t.Object(others)).properties,
    importSince: t.Optional(orNull(time)),
    isDefault: t.Optional(t.Boolean()),
  },
  strict,
)
export const mailboxChange = t.Partial(t.Object(fields), strict)

const server = { host: t.String(), port: t.Integer(), security }
const serverWithUser = t.Object({ ...server, user: t.String() })
const orNone = orNull(t.Integer())

export const mailboxSchema = t.Object({
  id: t.String(),
  name: t.String(),
  address: t.String(),
  aliases: t.Array(t.String()),
  isDefault: t.Boolean(),
  state: oneOf(HEALTH_STATES),
  detail: t.String(),
  signIn,
  isSignedIn: t.Boolean(),
  imap: serverWithUser,
  smtp: serverWithUser,
  hasSmtpPassword: t.Boolean(),
  folders: t.Array(t.String()),
  importSince: orNull(time),
  sentFolder: t.String(),
  signature: t.String(),
  defaultAssignee: orNull(t.String()),
  autoReply: t.String(),
  authservId: t.String(),
  hasSubaddresses: orNull(t.Boolean()),
  hasSubjectTokens: t.Boolean(),
  dkim: orNull(
    t.Object({
      domain: t.String(),
      selector: t.String(),
      isOn: t.Boolean(),
      record: t.Object({ name: t.String(), value: t.String() }),
    }),
  ),
  health: t.Object({
    lastReceivedAt: orNull(time),
    lastSentAt: orNull(time),
    lastCheckedAt: orNull(time),
    failingSince: orNull(time),
    receiveError: orNull(t.String()),
    sendError: orNull(t.String()),
    onServer: orNone,
    unaccounted: orNone,
    quarantined: t.Integer(),
  }),
  createdAt: time,
  updatedAt: time,
})
export const suggestedAliases = t.Object({
  data: t.Array(t.Object({ address: t.String(), mails: t.Integer() })),
})

export const problemList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      name: t.String(),
      address: t.String(),
      state: oneOf(HEALTH_STATES),
      since: time,
      detail: t.String(),
      signIn,
    }),
  ),
})

export const senderList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      name: t.String(),
      address: t.String(),
      signature: t.String(),
      isDefault: t.Boolean(),
      problem: t.Optional(replyProblem),
    }),
  ),
})

export const ledgerSchema = t.Object({
  onServer: orNone,
  fetched: t.Integer(),
  messages: t.Integer(),
  automatic: t.Integer(),
  bounces: t.Integer(),
  duplicates: t.Integer(),
  own: t.Integer(),
  quarantined: t.Integer(),
  unaccounted: t.Integer(),
})

export const providerQuery = t.Object(
  { address: t.Optional(t.String({ minLength: 1, maxLength: 320 })) },
  strict,
)
export const providerList = t.Object({
  data: t.Array(
    t.Object({
      id: t.String(),
      name: t.String(),
      domains: t.Array(t.String()),
      imap: t.Object(server),
      smtp: t.Object(server),
      signIn,
      note: t.String(),
      link: t.Optional(t.String()),
    }),
  ),
  match: orNull(t.String()),
})

export const connectionTest = t.Object({
  isOk: t.Boolean(),
  steps: t.Array(
    t.Object({
      side: oneOf(TEST_SIDES),
      step: oneOf(TEST_STEPS),
      state: oneOf(STEP_STATES),
      detail: t.Optional(t.String()),
      advice: t.Optional(t.String()),
      link: t.Optional(t.String()),
    }),
  ),
  folders: t.Array(t.String()),
  learned: t.Object({
    hasSubaddresses: orNull(t.Boolean()),
    authservId: orNull(t.String()),
  }),
})

export const dkimInput = t.Object({ domain: line, selector: line }, strict)
export const dkimSwitch = t.Object({ isOn: t.Boolean() }, strict)
