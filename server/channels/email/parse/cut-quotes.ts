const QUOTED_LINE = /^[ \t]{0,3}>/
const BLANK_LINE = /^[ \t]*$/

/** A verb that ends a line above a quote, in the languages mail programs write. Searched first, because it is cheap. */
const WROTE =
  /(?:wrote|schrieb|geschrieben|a écrit|escribió|escreveu|scritto|schreef|skrev|kirjoitti|napisał|napsal|napísal|írta|a scris|написа|пише|yazdı|έγραψε|写道|寫道|書きました|のメール|작성)/i
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
]
const ENDS_IN_COLON = /[:：]$/
const HAS_DIGIT = /\d/
/** Mail programs break a long attribution into this many lines at most. */
const MAX_ATTRIBUTION_LINES = 4
const MAX_ATTRIBUTION_LENGTH = 500

/** Outlook's block of headers above the quoted message, in the languages it writes them. */
const FROM_HEADER =
  /^[*_]{0,2}(?:from|von|de|da|van|från|fra|od|lähettäjä|feladó|от|kimden|发件人|寄件者|差出人|보낸 사람)\s?[:：][*_]{0,2}\s*\S/i
const SENT_HEADER =
  /^[*_]{0,2}(?:sent|date|gesendet|datum|envoyé|fecha|enviad[oa]|enviado el|data|inviato|verzonden|skickat|sendt|wysłano|odesláno|lähetetty|elküldve|trimis|отправлено|дата|gönderildi|发送时间|傳送時間|送信日時|보낸 날짜)\s?[:：][*_]{0,2}\s*\S/i
const SEPARATOR = /^[ \t]*(?:_{10,200}|-{3,200}|-{2,20}[ \t]*\p{L}[\p{L}' ]{5,40}-{2,20})[ \t]*$/u
/** "-----Original Message-----" alone, in the languages that write it. */
const ORIGINAL_MESSAGE =
  /^[ \t]*-{2,20}[ \t]*(?:original message|ursprüngliche nachricht|message d'origine|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|ursprungligt meddelande|oprindelig meddelelse|wiadomość oryginalna)[ \t]*-{2,20}[ \t]*$/i
/** A forwarded message is what the sender wants to show. */
const FORWARDED =
  /forward|weitergeleitet|transféré|reenviado|encaminhada|inoltrat|doorgestuurd|vidarebefordra|videresend|przekazan/i
const MAX_LINES_TO_SENT = 3

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
 * bounded number of times.
 */
export function cutQuotes(text: string): CutText {
  const lines = text.split('\n')
  const end = trailingQuoteStart(lines) ?? unmarkedQuoteStart(lines) ?? lines.length
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
  return attributionStart(lines, above) ?? above + 1
}

/** The last line that is no footer. A footer below a quote goes with the quote. */
function lastLineBeforeFooter(lines: string[]): number | undefined {
  const last = lines.findLastIndex((line) => !isBlank(line))
  for (let at = last; at > 0 && at > last - MAX_FOOTER_LINES && !isQuoted(lines[at]); at--) {
    if (!FOOTER.test(lines[at]?.trimEnd() ?? '')) continue
    const above = lines.findLastIndex((line, index) => index < at && !isBlank(line))
    if (isQuoted(lines[above])) return above
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

/**
 * Where a quote without marks begins: Outlook's block of headers, or an attribution with a date. Nothing when the writer
 * says that the answers are inside.
 */
function unmarkedQuoteStart(lines: string[]): number | undefined {
  const start = lines.findIndex((_, at) => isOutlookBlock(lines, at) || isUnmarkedAttribution(lines, at))
  if (start < 0 || ANSWERED_BELOW.test(lines.slice(0, start).join('\n'))) return undefined
  const above = lines.findLastIndex((line, at) => at < start && !isBlank(line))
  const first = lines[above] ?? ''
  if (FORWARDED.test(first) && (SEPARATOR.test(first) || ENDS_IN_COLON.test(first.trim()))) return undefined
  return SEPARATOR.test(first) ? above : (attributionStart(lines, start) ?? start)
}

function isOutlookBlock(lines: string[], at: number): boolean {
  const line = lines[at] ?? ''
  if (ORIGINAL_MESSAGE.test(line)) return true
  if (!FROM_HEADER.test(line)) return false
  return lines.slice(at + 1, at + 1 + MAX_LINES_TO_SENT).some((next) => SENT_HEADER.test(next))
}

/** An attribution above lines without `>`. It must contain a date, because people write "Ana wrote:" too. */
function isUnmarkedAttribution(lines: string[], at: number): boolean {
  const start = attributionStart(lines, at)
  if (start === undefined || !HAS_DIGIT.test(lines.slice(start, at + 1).join(' '))) return false
  let below = at + 1
  while (below < lines.length && isBlank(lines[below])) below++
  return below < lines.length && !isQuoted(lines[below])
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
