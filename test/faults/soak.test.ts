import { expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { runSoak } from '../bench/soak.ts'

const OPTIONS = { rounds: 1, perSecond: 40, fatMessages: 200, tickets: 1_000, hasMail: false }

// How long the others wait belongs in `bun run bench soak`.
test.if(engine === 'sqlite')(
  'nothing that other organizations get confirmed is lost beside all abuse, and all of it is answered',
  async () => {
    const report = await runSoak({ ...OPTIONS, seconds: 6 })
    expect(report.failures).toEqual({})
    expect(report.lost).toEqual({ tickets: 0, messages: 0, files: 0, deliveries: 0, mails: 0, chats: 0 })
    for (const count of [
      report.requests.beside,
      report.acknowledged.tickets,
      report.acknowledged.deliveries,
    ]) {
      expect(count).toBeGreaterThan(0)
    }
    const answered = Object.keys(report.abuse).filter((name) => !/ (cut|closed)$/.test(name))
    const wrong = answered.filter((name) => !/ (200|201|401|404|408|429|503)$/.test(name))
    expect(wrong).toEqual([])
  },
)
