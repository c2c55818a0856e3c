import { expect, test } from 'bun:test'
import { systemClock } from '../../server/clock.ts'
import { engine } from '../../server/database/columns.ts'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { startDovecot } from '../support/mail/dovecot.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { connectMailbox, mailSettings } from '../support/mail/mailbox-service.ts'
import { startS3 } from '../support/s3-server.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'
import type { TicketJson } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const BOTS = 4
const UNLIMITED = { burst: 1_000, everyMs: 1 }
const MAILBOX = { address: 'support@acme.test', password: 'correct horse' }

/** Servers that share a database take over each other's partitions. */
async function untilShared(nodes: Bellhop[]): Promise<void> {
  const held = () => nodes.map(({ deps }) => deps.cluster.partitions.held())
  await eventually(() => held().join('').length === 32 && held().every((one) => one.length > 0))
}

if (engine === 'postgresql') {
  describeWithMail('mailboxes and bots of servers on one PostgreSQL database', () => {
    test('move to a server that joins, and to the one that is left: each message arrives once and is answered once', async () => {
      await using s3 = await startS3()
      if (!s3) return
      const telegram = await startTelegram({
        clock: systemClock,
        limits: { perChat: UNLIMITED, perBot: UNLIMITED },
      })
      const dovecot = await startDovecot({ users: { [MAILBOX.address]: MAILBOX.password } })
      const { DATABASE_URL = '' } = await freshPlace()
      const settings = {
        DATABASE_URL,
        ...s3.filesSettings(),
        BELLHOP_SECRET: 'the same for every server',
        BELLHOP_TELEGRAM_API: telegram.root,
        ...(await mailSettings()),
      }
      const first = await startBellhop({ settings })
      const { orgId } = await first.organization()
      await connectMailbox(first, { orgId }, { dovecot, ...MAILBOX })
      const admin = await signInAgent(first, orgId, { role: 'admin' })
      const chats = Array.from({ length: BOTS }, () => ({
        bot: telegram.addBot(),
        customer: telegram.addUser(),
      }))
      for (const { bot } of chats) await admin.call('POST', '/console/bots', { body: { token: bot.token } })

      const agents = new Map([[first, admin]])
      async function tickets(on: Bellhop): Promise<TicketJson[]> {
        const agent = agents.get(on) ?? (await signInAgent(on, orgId, {}))
        agents.set(on, agent)
        const list = await agent.call<{ data: TicketJson[] }>('GET', '/v1/tickets?per_page=100')
        return Promise.all(
          list.json.data.map(
            async ({ id }) => (await agent.call<TicketJson>('GET', `/v1/tickets/${id}`)).json,
          ),
        )
      }

      /** Everyone writes, and is answered. Waits until each is in its ticket, and each answer in its chat. */
      async function talk(text: string, on: Bellhop): Promise<void> {
        for (const { bot, customer } of chats) customer.writes(bot, text)
        dovecot.deliver(MAILBOX.address, `From: ada@shop.test\r\nSubject: ${text}\r\n\r\n${text}\r\n`)
        await eventually(async () => (await textsOf(on)).flat().filter((each) => each === text).length > BOTS)
        for (const { id, channel } of await tickets(on)) {
          const answer = { body: { role: 'agent', text: `Thank you for ${text}.` } }
          if (channel === 'telegram') await agents.get(on)?.call('POST', `/v1/tickets/${id}/messages`, answer)
        }
        await eventually(() => answers().every((each) => each.some((one) => one.includes(text))))
      }

      async function textsOf(on: Bellhop): Promise<string[][]> {
        return (await tickets(on)).map(({ messages }) =>
          messages.flatMap(({ role, text }) => (role === 'customer' ? [text.trim()] : [])),
        )
      }

      function answers(): string[][] {
        return chats.map(({ bot, customer }) =>
          telegram.sent(bot, customer.id).flatMap(({ text }) => (text?.includes('Thank') ? [text] : [])),
        )
      }

      await talk('one', first)
      const second = await startBellhop({ settings })
      await untilShared([first, second])
      await talk('two', second)
      await first.stop()
      await talk('three', second)

      const received = (await textsOf(second)).map((texts) => texts.join())
      const ofChat = 'one,two,three'
      expect(received.toSorted()).toEqual([...Array(BOTS).fill(ofChat), 'one', 'three', 'two'].toSorted())
      const inOrder = ['one', 'two', 'three'].map((text) => `Thank you for ${text}.`)
      expect(answers()).toEqual(chats.map(() => inOrder))
      const logged = [first, second].flatMap(({ logLines }) => logLines)
      expect(logged.filter((line) => JSON.parse(line).level === 'error')).toEqual([])
      await second.stop()
      await dovecot.stop()
      await telegram.close()
    })
  })
}
