import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import type { ParseResult } from '../../server/channels/email/parse/parsed-mail.ts'
import { createManualClock } from '../support/clock.ts'
import { pythonMails } from '../support/mail/awkward-mails.ts'
import { createTestParser, htmlMail, multipartMail, textMail } from '../support/mail/mail-parser.ts'

/** Main thread time of one turn of the event loop: the time that other requests wait. */
const MAX_HOLD_MS = 50
/** What the mail costs, it costs each time. What is left of earlier tests is collected at any moment, and only once. */
const MAX_READINGS = 3

const parser = createTestParser()
beforeAll(() => parser.read(htmlMail('<p>Started</p>')))
afterAll(() => parser[Symbol.dispose]())

/** Mails that were made to be slow, large or deep, and what must be left of them. */
const MAILS: Record<string, { mail: () => string | Uint8Array; expected: object }> = {
  'with 300 levels': {
    mail: () => `From: ana@example.com\r\n${nested(300)}Content-Type: text/plain\r\n\r\nDeep`,
    expected: { mail: { text: 'Deep' } },
  },
  'with 100,000 levels': {
    mail: () => `From: ana@example.com\r\n${nested(100_000)}Content-Type: text/plain\r\n\r\nDeep`,
    expected: { outcome: 'parsed' },
  },
  'with 5,000 parts': {
    mail: () => multipartMail('mixed', Array(5_000).fill('Content-Type: text/csv\r\n\r\nx')),
    expected: { mail: { attachments: { length: 50 }, omittedAttachments: 4_950 } },
  },
  'to 20,000 recipients': {
    mail: () => textMail('Hello', `Cc: ${lines(20_000, (n) => `person${n}@example.com,`)}`),
    expected: { mail: { text: 'Hello', cc: { length: 500 } } },
  },
  'with a header of 1 MB': {
    mail: () => textMail('Hello', `X-Large: ${'a'.repeat(1_000_000)}`),
    expected: { mail: { text: 'Hello' } },
  },
  'with 100,000 headers': {
    mail: () => textMail('Hello', ...Array(100_000).fill('X-Many: 1')),
    expected: { mail: { text: 'Hello' } },
  },
  'with 1,000 references': {
    mail: () => textMail('Hello', `References: ${lines(1_000, (n) => `<${n}@example.com>`)}`),
    expected: { mail: { references: ['<0@example.com>', ...newest(99)] } },
  },
  'of 25 MB': {
    mail: () =>
      multipartMail('mixed', [
        'Content-Type: text/plain\r\n\r\nSee the file.',
        `Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${largeBase64()}`,
      ]),
    expected: { mail: { text: 'See the file.', attachments: [{ name: 'a.pdf', size: 25_000_000 }] } },
  },
  'with 100,000 nested elements': {
    mail: () => htmlMail(`Start${'<div>'.repeat(100_000)}End`),
    expected: { htmlOmitted: 'too_large', mail: { text: 'Start\nEnd', html: null } },
  },
  'with 10 MB of HTML': {
    mail: () => htmlMail('<p>Hello</p>'.repeat(1_000_000)),
    expected: { htmlOmitted: 'too_large' },
  },
  'with 200,000 links': {
    mail: () => htmlMail('<a href="//x">x</a>'.repeat(100_000)),
    expected: { outcome: 'parsed' },
  },
  'with 6 KB of >': {
    mail: () => textMail('> \n'.repeat(2_000)),
    expected: { mail: { quoted: '' } },
  },
  'with 20,000 lines that look like the beginning of a quote': {
    mail: () => textMail('On 1 Mar 2026 Ana wrote:\n> x\n'.repeat(10_000)),
    expected: { outcome: 'parsed' },
  },
  'with tags, comments, styles, quotes and entities that never end': {
    mail: () =>
      htmlMail(
        ['<a "', '<!--', '<style>a{b:url(', '&', '<a b="c'].map((piece) => piece.repeat(50_000)).join(''),
      ),
    expected: { outcome: 'parsed' },
  },
  'with addresses that never end': {
    mail: () =>
      textMail('Hello', ...['"', '<', '(', 'a b ', 'x:'].map((piece) => `Cc: ${piece.repeat(50_000)}`)),
    expected: { mail: { text: 'Hello' } },
  },
  'of random bytes': {
    mail: () => Uint8Array.from({ length: 1_000_000 }, (_, n) => Math.imul(n, 2_654_435_761) >>> 24),
    expected: { outcome: 'parsed' },
  },
  'of nothing but NUL': { mail: () => new Uint8Array(1_000_000), expected: { mail: { text: '' } } },
  'of nothing but line breaks': { mail: () => '\n'.repeat(5_000_000), expected: { mail: { text: '' } } },
}

describe('a mail is read while the program answers others:', () => {
  for (const [name, { mail, expected }] of Object.entries(MAILS)) {
    test(name, async () => {
      const path = await parser.write(mail())
      let hold = Number.POSITIVE_INFINITY
      for (let reading = 0; reading < MAX_READINGS && hold >= MAX_HOLD_MS; reading += 1) {
        const watch = watchMainThread()
        expect(await parser.parseFile(path)).toMatchObject(expected)
        hold = Math.min(hold, watch.longestTurn())
      }
      expect(hold).toBeLessThan(MAX_HOLD_MS)
    })
  }
})

describe('a mail that takes longer than 5 seconds', () => {
  test('is unparsable, and the next one is read', async () => {
    const clock = createManualClock()
    using slow = createTestParser(clock)
    const result = await untilSettled(slow.parse('\n'.repeat(20_000_000)), () => clock.advance(5_000))
    expect(result).toEqual({
      outcome: 'unparsable',
      reason: 'Reading this email took longer than 5 seconds.',
    })
    expect(await slow.parse(textMail('Next'))).toMatchObject({ mail: { text: 'Next' } })
  })

  test('because of its HTML has its text and files', async () => {
    const clock = createManualClock()
    using slow = createTestParser(clock)
    // The image is written when the HTML is read, after the text was returned.
    const html = `Hello<img src="data:image/png;base64,AAAA">${'<x>'.repeat(300_000)}`
    let looks = 0
    const result = await untilSettled(slow.parse(htmlMail(html)), () => {
      // The text was sent before the image was written, but arrives in a turn of its own.
      if (readdirSync(slow.attachmentFolder).length > 0 && looks++ > 3) clock.advance(5_000)
    })
    expect(result).toMatchObject({
      outcome: 'parsed',
      htmlOmitted: 'too_slow',
      mail: { text: 'Hello', html: null },
    })
    expect(await slow.parse(htmlMail('Next'))).toMatchObject({ htmlOmitted: null, mail: { html: 'Next' } })
  })
})

describe('faults that the mail did not cause', () => {
  test('is refused, so that the mail is read again later: its file is missing', async () => {
    await expect(parser.parseFile('/no/such/mail.eml')).rejects.toThrow('could not be read: ENOENT')
  })

  test('is refused: its attachments can’t be written', async () => {
    using unwritable = createTestParser()
    rmSync(unwritable.attachmentFolder, { recursive: true })
    const mail = multipartMail('mixed', ['Content-Type: text/csv; name=a.csv\r\n\r\nx'])
    await expect(unwritable.parse(mail)).rejects.toThrow('ENOENT')
    mkdirSync(unwritable.attachmentFolder)
    expect(await unwritable.parse(mail)).toMatchObject({ mail: { attachments: [{ name: 'a.csv' }] } })
  })

  test('is refused: the parser was stopped', async () => {
    const stopped = createTestParser()
    const slow = await stopped.write('\n'.repeat(20_000_000))
    const both = Promise.allSettled([stopped.parseFile(slow), stopped.parseFile(slow)])
    await Bun.sleep(0)
    stopped[Symbol.dispose]()
    const reasons = (await both).map((one) => one.status === 'rejected' && one.reason.message)
    expect(reasons).toEqual(Array(2).fill('The mail parser was stopped.'))
  })
})

test('a Worker without work is ended, and another one starts with the next mail', async () => {
  const clock = createManualClock()
  using idle = createTestParser(clock)
  await idle.read(textMail('One'))
  clock.advance(60_000)
  expect((await idle.read(textMail('Two'))).text).toBe('Two')
})

/** Those of Python's mails without any content. */
const EMPTY = ['msg_08', 'msg_09', 'msg_12', 'msg_12a', 'msg_18', 'msg_24'].map(
  (name) => `Python's ${name}.txt`,
)

test('every mail of Python’s own tests has its text or its files', async () => {
  const mails = pythonMails()
  const results = await Promise.all(mails.map(({ make }) => parser.parse(make())))
  const empty = mails.filter((_, at) => !hasContent(results[at])).map(({ name }) => name)
  expect(empty).toEqual(mails.length > 0 ? EMPTY : [])
})

function hasContent(result: ParseResult | undefined): boolean {
  return result?.outcome === 'parsed' && (result.mail.text !== '' || result.mail.attachments.length > 0)
}

/** CPU time, so that other programs on the machine don't count. */
function watchMainThread(): { longestTurn(): number } {
  let longest = 0
  let last = process.threadCpuUsage()
  let isRunning = true
  function turn(): void {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.threadCpuUsage()
    if (isRunning) setTimeout(turn, 1)
  }
  setTimeout(turn, 1)
  return {
    longestTurn() {
      isRunning = false
      return longest
    },
  }
}

/** Does something every few milliseconds until a promise settles. */
async function untilSettled<T>(promise: Promise<T>, step: () => void): Promise<T> {
  const timer = setInterval(step, 5)
  return promise.finally(() => clearInterval(timer))
}

function nested(levels: number): string {
  return Array.from(
    { length: levels },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  ).join('')
}

function lines(count: number, line: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => line(n)).join('\r\n ')
}

function newest(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `<${1_000 - count + n}@example.com>`)
}

/** 25 MB in lines of 76 characters. */
function largeBase64(): string {
  const line = `${Buffer.alloc(57, 'Bellhop').toString('base64')}\r\n`
  return line.repeat(438_596) + Buffer.alloc(28).toString('base64')
}
