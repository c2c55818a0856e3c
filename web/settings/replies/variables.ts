/** What is filled in when a saved reply is put into an answer, with somebody to preview it on. */
export const VARIABLES: { name: string; label: string; sample: string }[] = [
  { name: 'customer.firstName', label: 'First name', sample: 'Ana' },
  { name: 'customer.name', label: 'Customer', sample: 'Ana Pires' },
  { name: 'customer.email', label: 'Their e-mail', sample: 'ana@example.com' },
  { name: 'ticket.subject', label: 'Subject', sample: 'Missing invoice' },
  { name: 'ticket.id', label: 'Ticket id', sample: 'tkt_01m7yggb08e14a59wse62r3t6t' },
  { name: 'agent.name', label: 'Your name', sample: 'You' },
  { name: 'organization.name', label: 'Organization', sample: 'Your organization' },
]

const VARIABLE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** A piece of a text: words, what a variable stands for, or a variable that does not exist. */
export interface Piece {
  kind: 'text' | 'filled' | 'unknown'
  text: string
}

/** The text as a customer would get it. `own` are the values that are known for certain. */
export function previewOf(text: string, own: Record<string, string>): Piece[] {
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(VARIABLE)) {
    const [whole, name = ''] = found
    if (found.index > end) pieces.push({ kind: 'text', text: text.slice(end, found.index) })
    const sample = own[name] ?? VARIABLES.find((one) => one.name === name)?.sample
    pieces.push(sample === undefined ? { kind: 'unknown', text: whole } : { kind: 'filled', text: sample })
    end = found.index + whole.length
  }
  return end < text.length ? [...pieces, { kind: 'text', text: text.slice(end) }] : pieces
}
