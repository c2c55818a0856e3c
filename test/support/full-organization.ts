import { eq } from 'drizzle-orm'
import { inviteAgent } from '../../server/agents/one-time-links.ts'
import { createProgram, setPicture } from '../../server/agents/programs.ts'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { receiveUpload } from '../../server/attachments/uploads.ts'
import { pauseMailbox } from '../../server/channels/email/mailboxes/mailbox-state.ts'
import { createMailbox } from '../../server/channels/email/mailboxes/mailboxes.ts'

import { saveOauthClient } from '../../server/channels/email/oauth/oauth-clients.ts'
import { blockAddress, blockVisitor } from '../../server/channels/widget/inbox/blocked-visitors.ts'
import { createCustomer } from '../../server/customers/directory/edit-customer.ts'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { messageContents, messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { endpoints, resendJobs } from '../../server/database/tables/webhooks.ts'
import type { Deps } from '../../server/deps.ts'
import { startConversation } from '../../server/messages/new-conversation.ts'
import { scheduleMessage } from '../../server/messages/schedule-message.ts'
import { mergeTickets } from '../../server/moves/merge-tickets.ts'
import { connectProgram } from '../../server/oauth/grants.ts'
import { redeemCode } from '../../server/oauth/tokens.ts'
import { createSavedReply, recordSavedReplyUse } from '../../server/saved-replies/saved-replies.ts'
import { createView } from '../../server/saved-views/saved-views.ts'
import { addSuggestion } from '../../server/suggestions/suggestions.ts'
import { keepDraft } from '../../server/threads/drafts.ts'
import { putNote } from '../../server/threads/notes.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { listDeliveries } from '../../server/webhooks/deliveries/delivery-log.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { paintedPng } from './images.ts'
import { newMailbox } from './mailboxes.ts'
import { newVerifier } from './oauth.ts'
import { storeBot } from './stored-bot.ts'
import { ORIGIN, openWidget } from './visitors.ts'
import { eventually } from './webhooks.ts'

/** Part of every text of the organization. Anywhere else, it means a leak. */
export const MARKER = 'ofacmeonly'

export const BLOCKED_ADDRESS = '203.0.113.99'

const UNDO_MS = 10_000

/** The ids of one of everything in an organization. */
export interface Owned {
  mail: string
  ticket: string
  message: string
  note: string
  failedMessage: string
  customer: string
  /** A ticket that a visitor opened in the widget. */
  visitorTicket: string
  /** What the visitor wrote in it. */
  question: string
  /** An answer to that, with a file, that the administrator suggests. */
  suggestion: string
  /** A reply that waits to be sent. */
  reply: string
  /** A file of a message, and one that is not sent. */
  attachment: string
  upload: string
  /** Ids that a client could make now. */
  newMessage: string
  newNote: string
  newTicket: string
  agent: string
  /** It has a picture. */
  program: string
  /** One that acts for the administrator. */
  connectedProgram: string
  session: string
  key: string
  savedReply: string
  view: string
  endpoint: string
  mailbox: string
  widget: string
  /** One who can't write. */
  visitor: string
  bot: string
  /** One that gets pushes. */
  browser: string
  delivery: string
  job: string
  replay: string
  /** A ticket of the same customer, with the messages of another one: the merge can be undone. */
  otherTicket: string
  otherCustomer: string
  move: string
}

export interface FullOrganization {
  client: Client
  admin: SignedInAgent
  owned: Owned
}

let visitors = 0

/** Creates an organization with one of everything. Nothing changes on its own while the clock doesn't move. */
export async function makeFullOrganization(bellhop: Bellhop): Promise<FullOrganization> {
  const { deps } = bellhop
  const client = await bellhop.organization(`Acme ${MARKER}`)
  const { orgId } = client
  const admin = await signInAgent(bellhop, orgId, { name: `Ana ${MARKER}`, role: 'admin' })
  const { agent } = await inviteAgent(deps, orgId, {
    name: `Ben ${MARKER}`,
    email: `ben.${MARKER}@acme.example`,
    role: 'agent',
  })
  const { id: program } = await createProgram(deps, orgId, { name: `Bot ${MARKER}` })
  const connectedProgram = await connectedProgramOf(bellhop, admin)
  const picture = await uploadFile(deps, orgId, admin.id, paintedPng(4, 4))
  await setPicture(deps, orgId, { id: program, picture, uploader: admin.id })
  const { endpoint } = await createEndpoint(deps, orgId, {
    url: `https://hooks.example/${MARKER}`,
    events: ['ticket.created'],
  })
  await disableEndpoint(deps, orgId, endpoint.id)
  const mailbox = await createMailbox(
    deps,
    orgId,
    newMailbox({ name: `Support ${MARKER}`, address: `support.${MARKER}@acme.example` }),
  )
  await saveOauthClient(deps, orgId, 'google', { clientId: MARKER, clientSecret: MARKER })
  // So that nothing connects, and resuming has something to do.
  await pauseMailbox(deps, orgId, mailbox.id)
  const widget = await openWidget(bellhop, orgId, {
    name: `Shop ${MARKER}`,
    origins: [`https://${MARKER}.example`, ORIGIN],
  })
  visitors += 1
  const visitor = await widget.visit(
    { page: { url: `${ORIGIN}/${MARKER}`, title: MARKER } },
    { 'x-forwarded-for': `10.0.0.${visitors}` },
  )
  const { conversation, message: question } = await visitor.say(`Are you there? ${MARKER}`)
  await blockVisitor(deps, orgId, { id: visitor.id, isBlocked: true })
  await blockAddress(deps, orgId, { address: BLOCKED_ADDRESS, agentId: admin.id, isBlocked: true })
  const ticket = await createTicket(deps, orgId, {
    subject: `Invoice ${MARKER}`,
    message: `Where is it? ${MARKER}`,
    customer: { name: `Carla ${MARKER}`, email: `carla.${MARKER}@example.com` },
    tags: [MARKER],
  })
  const { id: ticketId } = ticket
  const author = { agentId: admin.id, agentName: admin.name }
  const newUpload = () => uploadFile(deps, orgId, admin.id)
  const [attachment, upload] = [await newUpload(), await newUpload()]
  const attachments = { uploads: { ids: [attachment], uploader: admin.id } }
  const failed = await postAgentMessage(deps, orgId, { ticketId, text: MARKER, ...author, attachments })
  await deps.database.write(undefined, async (tx) => {
    await tx.update(messages).set({ sending: 'failed', sendError: MARKER }).where(eq(messages.id, failed.id))
    // The API channel has no replies to resend.
    await tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, ticketId))
  })
  const written = { text: MARKER, format: 'markdown' as const, attachments: [await newUpload()] }
  const note = deps.newId('not')
  await putNote(deps, orgId, { ticketId, id: note, ...written, ...author })
  const suggestion = await addSuggestion(deps, orgId, {
    ticketId: conversation.id,
    author: { byId: admin.id, uploader: admin.id },
    text: MARKER,
    format: 'plain',
    attachments: [await newUpload()],
    answers: question.id,
    sources: [{ title: MARKER, url: `https://${MARKER}.example` }],
  })
  const draft = { kind: 'note' as const, text: MARKER, attachments: [await newUpload()] }
  await keepDraft(deps, { orgId, ticketId, agentId: admin.id, ...draft })
  const reply = deps.newId('msg')
  const sendAt = deps.clock.now() + UNDO_MS
  const by = { ...author, keyId: null }
  await scheduleMessage(deps, orgId, { ticketId, id: reply, text: MARKER, sendAt, author: by })
  const newTicket = deps.newId('msg')
  await startConversation(deps, orgId, {
    messageId: newTicket,
    to: [{ name: MARKER, address: 'ana@example.com' }],
    cc: [],
    subject: MARKER,
    text: MARKER,
    format: 'plain',
    attachments: [await newUpload()],
    status: 'open',
    assignedTo: '',
    tags: [MARKER],
    canUndo: true,
    author,
  })
  const savedReply = await createSavedReply(deps, orgId, {
    name: MARKER,
    text: MARKER,
    agentId: admin.id,
    actions: { addTags: [MARKER] },
    attachments: [await newUpload()],
  })
  await recordSavedReplyUse(deps, orgId, { id: savedReply.id, agentId: admin.id })
  const me = { agentId: admin.id, role: 'admin' as const }
  const view = await createView(deps, orgId, me, { name: MARKER, query: 'status:open', isShared: true })
  const { key } = await createApiKey(deps, orgId, { name: MARKER, kind: 'secret' })
  const [delivery] = (await listDeliveries(deps, orgId)).deliveries
  await eventually(async () => {
    const [stored] = await deps.database.read.select().from(endpoints).where(eq(endpoints.id, endpoint.id))
    return stored?.nextDeliveryAt === null
  })
  const [job, replay] = [deps.newId('job'), deps.newId('job')]
  const now = deps.clock.now()
  await deps.database.write(undefined, async (tx) => {
    const times = { since: now, until: now, createdAt: now, finishedAt: now }
    const ofEndpoint = { orgId, endpointId: endpoint.id, ...times }
    await tx.insert(resendJobs).values([
      { id: job, ...ofEndpoint },
      { id: replay, kind: 'replay', ...ofEndpoint },
    ])
  })
  const mail = await quarantinedMail(deps, orgId, mailbox.id)
  const message = ticket.messages[0]?.id ?? ''
  const contents = { quoted: MARKER, html: `<p>${MARKER}</p>`, mailId: mail }
  await deps.database.write(undefined, async (tx) => {
    await tx.insert(messageContents).values({ messageId: message, orgId, ticketId, ...contents })
  })
  const opened = () =>
    createTicket(deps, orgId, {
      subject: MARKER,
      message: MARKER,
      customer: { email: `carla.${MARKER}@example.com` },
    })
  const [into, from] = [await opened(), await opened()]
  const otherCustomer = await createCustomer(deps, orgId, {
    name: 'Other',
    emails: ['other@example.com', 'another@example.com'],
  })
  const move = await mergeTickets(deps, orgId, { into: into.id, from: from.id })
  return {
    client,
    admin,
    owned: {
      otherTicket: into.id,
      otherCustomer,
      move: move.id,
      mail,
      program,
      connectedProgram,
      ticket: ticketId,
      visitorTicket: conversation.id,
      question: question.id,
      suggestion: suggestion.id,
      message,
      note,
      failedMessage: failed.id,
      customer: ticket.customerId,
      reply,
      attachment,
      upload,
      newMessage: deps.newId('msg'),
      newNote: deps.newId('not'),
      newTicket,
      agent: agent.id,
      session: admin.sessionId,
      key: key.id,
      savedReply: savedReply.id,
      view: view.id,
      endpoint: endpoint.id,
      mailbox: mailbox.id,
      widget: widget.id,
      visitor: visitor.id,
      bot: await storeBot(bellhop, orgId),
      browser: await subscribe(admin),
      delivery: delivery?.id ?? '',
      job,
      replay,
    },
  }
}

async function subscribe(agent: SignedInAgent): Promise<string> {
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  }
  const body = { endpoint: `https://push.example/${MARKER}`, keys }
  return (await agent.call<{ id: string }>('POST', '/console/me/browsers', { body })).json.id
}

async function uploadFile(
  deps: Deps,
  orgId: string,
  uploader: string,
  content: BlobPart = `A file ${MARKER}`,
): Promise<string> {
  const bytes = new Blob([content])
  const body = bytes.stream()
  const file = { uploader, name: `${MARKER}.txt`, body, announcedBytes: bytes.size }
  return (await receiveUpload(deps, orgId, file)).id
}

/** A mail in quarantine, with its original. */
async function quarantinedMail(deps: Deps, orgId: string, mailboxId: string): Promise<string> {
  const id = deps.newId('eml')
  using file = await deps.files.put(Buffer.from(`Subject: ${MARKER}\r\n\r\n`))
  await deps.database.write(undefined, async (tx) => {
    const now = deps.clock.now()
    const place = { folder: 'INBOX', uidValidity: '1', uid: 1 }
    const what = { outcome: 'quarantined' as const, fromAddress: MARKER, subject: MARKER, reason: MARKER }
    const { hash, size } = file
    await tx
      .insert(mails)
      .values({ id, orgId, mailboxId, ...place, ...what, hash, size, receivedAt: now, createdAt: now })
  })
  return id
}

/** By the verbs: every test makes one, and only so many programs can register in a minute. */
async function connectedProgramOf({ deps }: Bellhop, agent: SignedInAgent): Promise<string> {
  const clientId = 'https://helper.example/client'
  const redirectUri = 'http://127.0.0.1/callback'
  const { verifier, challenge } = newVerifier()
  const client = {
    id: clientId,
    name: `Helper ${MARKER}`,
    host: 'helper.example',
    redirectUris: [redirectUri],
  }
  const code = await connectProgram(
    deps,
    { orgId: agent.orgId, agentId: agent.id },
    { client, redirectUri, challenge, scopes: ['tickets:read'] },
  )
  await redeemCode(deps, { code, clientId, redirectUri, verifier })
  const { json } = await agent.call<{ data: { id: string }[] }>('GET', '/console/connected-programs')
  return json.data[0]?.id ?? ''
}
