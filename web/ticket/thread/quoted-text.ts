const QUOTED_LINE = /^\s*>/
const BLANK_LINE = /^\s*$/

/** The line a mail program puts above a quote: "On Tue, 3 Mar 2026 at 09:30, Ana <ana@example.com> wrote:". */
const ATTRIBUTIONS = [
  // English
  /^on\b.{4,300}\bwrote:$/i,
  // German: "Am … schrieb Ana:", "Ana schrieb am …:"
  /^am\b.{4,300}\bschrieb\b.{0,200}:$/i,
  /^.{1,200}\bschrieb am\b.{4,100}:$/i,
  // French
  /^le\b.{4,300}\ba écrit\s?:$/i,
  // Spanish
  /^el\b.{4,300}\bescribió:$/i,
  // Portuguese
  /^(?:em|no dia|a)\b.{4,300}\bescreveu:$/i,
  // Italian
  /^il\b.{4,300}\bha scritto:$/i,
  // Dutch: "Op … schreef Ana:"
  /^op\b.{4,300}\bschreef\b.{0,200}:$/i,
  // Swedish, Danish and Norwegian
  /^(?:den|på|tors|fre|mån|tis|ons|lör|sön)\b.{4,300}\bskrev\b.{0,200}:$/i,
  // Polish
  /^.{4,300}\bnapisał(?:\(a\)|a)?:$/i,
]
/** Mail programs break a long attribution into this many lines at most. */
const MAX_ATTRIBUTION_LINES = 4

/** Outlook's block of headers above the quoted message, in the languages it writes them. */
const FROM_HEADER = /^\*?(?:from|von|de|da|van|från|fra|od)\s?:\*?\s/i
const SENT_HEADER =
  /^\*?(?:sent|date|gesendet|datum|envoyé|fecha|enviad[oa]|enviado el|data|inviato|verzonden|skickat|sendt|wysłano)\s?:\*?\s/i
const SEPARATOR = /^\s*(?:_{10,}|-{2,}\s*\p{L}[\p{L}' ]{5,40}-{2,})\s*$/u
/** A forwarded message is what the sender wants to show. */
const FORWARDED =
  /forward|weitergeleitet|transféré|reenviado|encaminhada|inoltrat|doorgestuurd|vidarebefordra/i
const MAX_LINES_TO_SENT = 3

/**
 * Splits a message into what was written and the mail quoted below it. Only a quote with nothing written after it is
 * split off: replies between quoted lines are shown together with those lines.
 */
export function splitQuote(text: string): { written: string; quoted: string } {
  const lines = text.split(/\r?\n/)
  const start = trailingQuoteStart(lines) ?? outlookBlockStart(lines)
  const written = start === undefined ? '' : lines.slice(0, start).join('\n').trimEnd()
  // A message that is nothing but a quote is shown in full.
  if (start === undefined || written.trim() === '') return { written: text, quoted: '' }
  return { written, quoted: lines.slice(start).join('\n').trim() }
}

/** The first line of the `>` lines that end the message, or of the attribution above them. */
function trailingQuoteStart(lines: string[]): number | undefined {
  const last = lines.findLastIndex((line) => !BLANK_LINE.test(line))
  if (!QUOTED_LINE.test(lines[last] ?? '')) return undefined
  const above = lines.findLastIndex(
    (line, at) => at < last && !QUOTED_LINE.test(line) && !BLANK_LINE.test(line),
  )
  return attributionStart(lines, above) ?? above + 1
}

/** The first line of an attribution that ends at line `end`. */
function attributionStart(lines: string[], end: number): number | undefined {
  let joined = ''
  for (let at = end; at >= 0 && at > end - MAX_ATTRIBUTION_LINES; at--) {
    const line = lines[at]?.trim() ?? ''
    if (line === '' || QUOTED_LINE.test(line)) return undefined
    joined = joined ? `${line} ${joined}` : line
    if (ATTRIBUTIONS.some((attribution) => attribution.test(joined))) return at
  }
  return undefined
}

/** The separator or the `From:` line of the first Outlook block. All lines after it are quoted, without `>`. */
function outlookBlockStart(lines: string[]): number | undefined {
  const from = lines.findIndex((line, at) => FROM_HEADER.test(line) && hasSentHeader(lines, at))
  if (from < 0) return undefined
  const above = lines.findLastIndex((line, at) => at < from && !BLANK_LINE.test(line))
  if (FORWARDED.test(lines[above] ?? '')) return undefined
  return SEPARATOR.test(lines[above] ?? '') ? above : from
}

function hasSentHeader(lines: string[], from: number): boolean {
  return lines.slice(from + 1, from + 1 + MAX_LINES_TO_SENT).some((line) => SENT_HEADER.test(line))
}
