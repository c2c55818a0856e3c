import { receiveVisitorMessage } from '../../../server/channels/widget/conversations/receive-visitor-message.ts'
import { openSession } from '../../../server/channels/widget/visitors/open-session.ts'
import { findVisitorByToken } from '../../../server/channels/widget/visitors/visitors.ts'
import { findWidgetByKey } from '../../../server/channels/widget/widgets/find-widget.ts'
import { readConfig } from '../../../server/config.ts'
import { openDeps } from '../../../server/deps.ts'
import { createLog } from '../../../server/log.ts'
import { postAgentMessage } from '../../../server/tickets/messages.ts'

// Visitors who write and agents who answer, from the end of its standard input until it is killed. Says what it is about to
// send and what was acknowledged: the visitor's token, the ids that a page made, and the ids of the stored messages.

const [key = ''] = process.argv.slice(2)
const log = createLog('error', false, (line) => process.stderr.write(`${line}\n`), Date.now)
await Bun.stdin.text()
const deps = await openDeps(readConfig(), { log })
const found = await findWidgetByKey(deps, key)
if (found.state !== 'active') throw new Error(`The widget is ${found.state}.`)
const { widget } = found
const VISITORS = 5
const life = Bun.randomUUIDv7()
const nobody = { name: '', email: '', page: undefined, browser: '', language: '', timeZone: '', address: '' }

function say(what: object): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

async function visit(visitor: number): Promise<void> {
  const session = { ...nobody, identity: undefined, current: undefined, onNew: () => {} }
  const { token = '' } = await openSession(deps, widget, session)
  say({ token })
  const conversation = `conversation_${life}_${visitor}`
  for (let number = 0; ; number += 1) await write(token, conversation, `message_${life}_${visitor}_${number}`)
}

async function write(token: string, conversation: string, clientId: string): Promise<void> {
  const me = await findVisitorByToken(deps, token)
  if (!me) throw new Error('The visitor is unknown.')
  say({ sending: { token, conversation, clientId } })
  const message = { conversation, clientId, text: clientId, attachments: [], typed: {} }
  const { ticketId, messageId } = await receiveVisitorMessage(deps, { widget, me }, message)
  say({ stored: { clientId, messageId } })
  const answer = { ticketId, text: `Answer to ${clientId}`, agentName: 'Ben' }
  const { id } = await postAgentMessage(deps, widget.orgId, answer)
  say({ answered: { messageId: id } })
}

say({ ready: true })
for (let visitor = 0; visitor < VISITORS; visitor += 1) void visit(visitor)
