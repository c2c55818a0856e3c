const QUOTED_LINE = /^[ \t]{0,3}>/
const BLANK_LINE = /^[ \t]*$/

/** A verb that ends a line above a quote, in the languages mail programs write. Searched first, because it is cheap. */
const WROTE =
  /(?:wrote|schrieb|geschrieben|a écrit|escribió|escreveu|scritto|schreef|skrev|kirjoitti|napisał|napsal|napísal|írta|a scris|написа|пише|yazdı|έγραψε|写道|寫道|書きました|のメール|작성|\d年\d{1,2}月\d{1,2}日)/i
/** The line a mail program puts above a quote: "On Tue, 3 Mar 2026 at 09:30, Ana <ana@example.com> wrote:". */
const ATTRIBUTIONS = [
  // English
  /^on\b.{4,300}\bwrote\s?:$/i,
  /^.{1,100}<[^<>@\s]{1,64}@[^<>@\s]{1,200}> wrote(?: on .{4,100})?:$/i,
  // German: "Am … schrieb Ana:", "Ana schrieb am …:"
  /^(?:am|on)\b.{4,300}\b(?:schrieb|hat)\b.{0,200}:$/i,
  /^.{1,200}\bschrieb (?:am\b|<?[^<>\s]{1,200}>?:)/i,
  // French
  /^le\b.{4,300}\ba écrit\s?:$/i,
  // Spanish
  /^el\b.{4,300}\bescribió\s?:$/i,
  // Portuguese
  /^(?:em|no dia|a|às)\b.{4,300}\bescreveu\s?:$/i,
  // Italian
  /^(?:il|in data)\b.{4,300}\bha scritto\s?:$/i,
  // Dutch: "Op … schreef Ana:"
  /^op\b.{4,300}\b(?:schreef|geschreven)\b.{0,200}:$/i,
  // Swedish, Danish and Norwegian
  /^(?:den|på|tors?|fre|mån|man|tis|tirs|ons|lör|lør|sön|søn|\d{1,2}[./]).{4,300}\bskrev\b.{0,200}:$/i,
  // Finnish
  /^.{4,300}\bkirjoitti\b.{0,100}:$/i,
  // Polish, Czech and Slovak
  /^.{4,300}(?:napisał(?:\(a\)|a)?|napsal(?:\(a\)|a)?|napísal(?:\(a\)|a)?)(?::|\s.{0,100}:)$/i,
  // Hungarian, Romanian, Turkish
  /^.{4,300}(?:írta|a scris|yazdı).{0,100}:$/i,
  // Russian, Ukrainian, Bulgarian, Greek
  /^.{4,300}(?:написал\(а\)|написала?|пишет|пише|написа|έγραψε).{0,100}:$/i,
  // Chinese, Japanese, Korean
  /^.{4,300}(?:写道|寫道|書きました|のメール|작성)\s?[:：]$/,
  // Gmail in Japanese has no verb: "2026年3月5日(木) 12:34 Ana <ana@example.com>:"
  /^\d{4}年\d{1,2}月\d{1,2}日.{1,200}<[^<>@\s]{1,64}@[^<>@\s]{1,200}>\s?[:：]$/,
]
const ENDS_IN_COLON = /[:：]$/
const ADDRESS = /[^\s@]@[^\s@]/
/** Mail programs break a long attribution into this many lines at most. */
const MAX_ATTRIBUTION_LINES = 4
const MAX_ATTRIBUTION_LENGTH = 500

/**
 * The block of headers above a quoted message, in the languages that Outlook writes. The same words stand in forms and
 * itineraries ("From: Berlin"), so only a block with an address, a time and a recipient or subject counts.
 */
const FROM_HEADER = header(
  'from|von|de|da|van|från|fra|od|lähettäjä|feladó|от|kimden|发件人|寄件者|差出人|보낸 사람',
)
const SENT_HEADER = header(
  'sent|date|gesendet|datum|envoyé|fecha|enviad[oa]|enviado el|data|inviato|verzonden|skickat|sendt|wysłano|odesláno|lähetetty|elküldve|trimis|отправлено|дата|gönderildi|发送时间|傳送時間|寄件日期|送信日時|보낸 날짜',
)
const TO_OR_SUBJECT_HEADER = header(
  'to|an|à|a|para|aan|till|til|do|komu|vastaanottaja|címzett|către|кому|kime|收件人|收件者|宛先|받는 사람|subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|předmět|predmet|aihe|tárgy|subiect|тема|konu|主题|主旨|件名|제목',
)
const OTHER_HEADER = header(
  'cc|bcc|kopie|copie|cópia|copia|kopia|kopi|kopio|másolat|копия|копія|bilgi|抄送|副本|참조|reply-to|importance|attachments|subject|betreff|objet|asunto|assunto|oggetto|onderwerp|主题|主旨|件名',
  true,
)
const LABEL = /^[^:：]{1,40}[:：](?:\s|$)/
const MAX_HEADER_LINES = 10
const SEPARATOR = /^[ \t]*(?:_{10,200}|-{3,200}|-{2,20}[ \t]*\p{L}[\p{L}' ]{5,40}-{2,20})[ \t]*$/u
/** "-----Original Message-----" above the block, in the languages that write it. */
const ORIGINAL_MESSAGE =
  /^\s*-{2,30}\s*(?:original(?: message)?|原始邮件|原始郵件|ursprüngliche nachricht|message d'origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|oprindelig meddelelse|wiadomość oryginalna)\s*-{2,30}\s*$/i
/** A forwarded message is what the sender wants to show. */
const FORWARDED =
  /forward|weitergeleitet|transféré|reenviado|encaminhada|inoltrat|doorgestuurd|vidarebefordra|videresend|przekazan/i

/** Words of someone who answered between the lines of a quote that has no marks, so that no one could cut it safely. */
const ANSWERED_BELOW =
  /\b(?:in-?line|see (?:my )?(?:answers|comments|replies|notes)|(?:answers?|comments?|replies|notes) below|below in|in (?:red|blue|green|bold)|siehe unten|im text|in (?:rot|blau|grün)|ci-dessous|en (?:rouge|bleu|vert|rojo|azul|verde)|abajo|abaixo|qui sotto|in (?:rosso|blu|verde)|hieronder|in (?:het )?rood)\b/i
/** What a mailing list or a scanner appends, and a signature: `-- `. */
const FOOTER = /^(?:-- ?|_{20,200}|-{20,200})$/
const MAX_FOOTER_LINES = 15

interface CutText {
  /** The new text, including quoted lines that were answered in between. */
  text: string
  /** Quoted text above and below it. */
  quoted: string
}

/**
 * Splits a text into the new text and the mail quoted around it. Every line is in one of the two. A quote is cut off
 * only at the beginning or the end: if there is new text between quoted lines, both stay together. Reads each line a
 * bounded number of times. In doubt, a line is new text. `hasQuoteElement`: the HTML of the mail marks a quote, which some
 * programs leave without `>` in the text.
 */
export function cutQuotes(text: string, { hasQuoteElement = false } = {}): CutText {
  const lines = text.split('\n')
  const end = trailingQuoteStart(lines) ?? unmarkedQuoteStart(lines, hasQuoteElement) ?? lines.length
  const start = leadingQuoteEnd(lines, end)
  const written = lines.slice(start, end).join('\n').trim()
  // A message that is nothing but a quote is shown in full.
  if (written === '') return { text: text.trim(), quoted: '' }
  const quoted = [lines.slice(0, start), lines.slice(end)].map((part) => part.join('\n').trim())
  return { text: written, quoted: quoted.filter(Boolean).join('\n\n') }
}

/** Whether a line announces a quote. */
export function isAttribution(line: string): boolean {
  const text = line.trim()
  if (text.length > MAX_ATTRIBUTION_LENGTH || !ENDS_IN_COLON.test(text) || !WROTE.test(text)) return false
  return ATTRIBUTIONS.some((attribution) => attribution.test(text))
}

/** The first line of the `>` lines that end the message, or of the attribution above them. */
function trailingQuoteStart(lines: string[]): number | undefined {
  const last = lastLineBeforeFooter(lines)
  if (last === undefined || !isQuoted(lines[last])) return undefined
  let above = last
  while (above >= 0 && (isQuoted(lines[above]) || isBlank(lines[above]))) above--
  const attribution = attributionStart(lines, above)
  if (attribution !== undefined) return attribution
  // "My shell prints:" belongs to the writer, and so does what it announces. With an address, it is a program's line.
  const announcement = lines[above]?.trim() ?? ''
  return ENDS_IN_COLON.test(announcement) && !ADDRESS.test(announcement) ? undefined : above + 1
}

/** The last line that is no footer. A footer goes with the quote above it when an attribution says that it is one. */
function lastLineBeforeFooter(lines: string[]): number | undefined {
  const last = lines.findLastIndex((line) => !isBlank(line))
  for (let at = last; at > 0 && at > last - MAX_FOOTER_LINES && !isQuoted(lines[at]); at--) {
    if (!FOOTER.test(lines[at]?.trimEnd() ?? '')) continue
    const above = lines.findLastIndex((line, index) => index < at && !isBlank(line))
    if (!isQuoted(lines[above])) continue
    const announcement = lines.findLastIndex(
      (line, index) => index < above && !isQuoted(line) && !isBlank(line),
    )
    if (attributionStart(lines, announcement) !== undefined) return above
  }
  return last < 0 ? undefined : last
}

/** The first line of an attribution that ends at line `end`. */
function attributionStart(lines: string[], end: number): number | undefined {
  if (!ENDS_IN_COLON.test(lines[end]?.trim() ?? '')) return undefined
  let joined = ''
  for (let at = end; at >= 0 && at > end - MAX_ATTRIBUTION_LINES; at--) {
    const line = lines[at]?.trim() ?? ''
    if (line === '' || isQuoted(line)) return undefined
    joined = joined ? `${line} ${joined}` : line
    if (isAttribution(joined)) return at
  }
  return undefined
}

/** Where a quote without marks begins. Nothing when the writer says that the answers are inside. */
function unmarkedQuoteStart(lines: string[], hasQuoteElement: boolean): number | undefined {
  const start = lines.findIndex(
    (_, at) =>
      isHeaderBlock(lines, at, hasQuoteElement) || (hasQuoteElement && isUnmarkedAttribution(lines, at)),
  )
  if (start < 0 || ANSWERED_BELOW.test(lines.slice(0, start).join('\n'))) return undefined
  const above = lines.findLastIndex((line, at) => at < start && !isBlank(line))
  const first = lines[above] ?? ''
  if (FORWARDED.test(first) && (SEPARATOR.test(first) || ENDS_IN_COLON.test(first.trim()))) return undefined
  return SEPARATOR.test(first) ? above : (attributionStart(lines, start) ?? start)
}

/**
 * Unbroken header lines down to a blank line or the end. Another label or a text line directly below makes it a form or
 * an itinerary. Only where the HTML marks a quote may its text follow at once.
 */
function isHeaderBlock(lines: string[], at: number, hasQuoteElement: boolean): boolean {
  const line = lines[at] ?? ''
  if (ORIGINAL_MESSAGE.test(line)) {
    const next = lines.slice(at + 1, at + 1 + MAX_HEADER_LINES).findIndex((each) => !isBlank(each))
    const block = next < 0 ? undefined : readHeaderBlock(lines, at + 1 + next, hasQuoteElement)
    return block !== undefined && (block.hasAddress || block.hasTime)
  }
  const block = readHeaderBlock(lines, at, hasQuoteElement)
  return block?.hasAddress === true && block.hasTime && block.hasRecipientOrSubject
}

function readHeaderBlock(lines: string[], at: number, hasQuoteElement: boolean) {
  const from = lines[at] ?? ''
  if (!FROM_HEADER.test(from)) return undefined
  const next = lines[at + 1] ?? ''
  // A long name breaks the line before the address.
  const isBroken = !ADDRESS.test(from) && ADDRESS.test(next) && !LABEL.test(next)
  const first = at + (isBroken ? 2 : 1)
  const rest = lines.slice(first, first + MAX_HEADER_LINES)
  const isHeader = (each: string) =>
    SENT_HEADER.test(each) || TO_OR_SUBJECT_HEADER.test(each) || OTHER_HEADER.test(each)
  const end = rest.findIndex((each) => !isHeader(each))
  const below = end < 0 ? rest : rest.slice(0, end)
  const after = rest[below.length]
  const isEnded = isBlank(after) || (hasQuoteElement && !LABEL.test(after ?? ''))
  if (!isEnded) return undefined
  return {
    hasAddress: isBroken || ADDRESS.test(from),
    hasTime: below.some((each) => SENT_HEADER.test(each)),
    hasRecipientOrSubject: below.some((each) => TO_OR_SUBJECT_HEADER.test(each)),
  }
}

/** An attribution above lines without `>`. Mail programs name the address there; people don't. */
function isUnmarkedAttribution(lines: string[], at: number): boolean {
  const start = attributionStart(lines, at)
  return start !== undefined && ADDRESS.test(lines.slice(start, at + 1).join(' '))
}

/** The line after the quote that begins the message, when one answer follows it and no further quote. */
function leadingQuoteEnd(lines: string[], end: number): number {
  let at = 0
  while (at < end && isBlank(lines[at])) at++
  const quote = lines.findIndex((line, index) => index >= at && isQuoted(line))
  if (quote < 0 || quote >= end) return 0
  const above = lines.findLastIndex((line, index) => index < quote && !isBlank(line))
  if (above >= at && attributionStart(lines, above) !== at) return 0
  let after = quote
  while (after < end && (isQuoted(lines[after]) || isBlank(lines[after]))) after++
  const hasFurtherQuote = lines.slice(after, end).some(isQuoted)
  return hasFurtherQuote ? 0 : after
}

function isQuoted(line = ''): boolean {
  return QUOTED_LINE.test(line)
}

function isBlank(line = ''): boolean {
  return BLANK_LINE.test(line)
}

/** A header line with one of the names, which may be bold in Markdown. */
function header(names: string, mayBeEmpty = false): RegExp {
  return new RegExp(`^[*_]{0,2}(?:${names})\\s?[:：][*_]{0,2}\\s*${mayBeEmpty ? '' : '\\S'}`, 'i')
}
