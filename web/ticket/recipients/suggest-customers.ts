import { quoted } from '../../../server/search/query-language.ts'
import { api, ask } from '../../api/api.ts'
import { added, type Recipient } from './address-list.ts'

const MAX_TICKETS = 20
/** Shorter texts match nearly everyone. */
const MIN_LETTERS = 2

/** Customers whose name or address has a word that begins like this, those with the newest tickets first. */
export async function suggestCustomers(text: string): Promise<Recipient[]> {
  if (text.length < MIN_LETTERS) return []
  const words = text.split(/\s+/).map((word) => `from:${quoted(word)}`)
  const query = { q: words.join(' '), limit: MAX_TICKETS }
  const { data } = await ask(api.console.tickets.get({ query }))
  const people = data.flatMap(({ customer: { name, email } }) =>
    email === undefined ? [] : [{ name: isGuessed(name, email) ? '' : name, address: email }],
  )
  return added([], people)
}

/** Without a name, the server calls a customer by the part of the address before the `@`. */
function isGuessed(name: string, email: string): boolean {
  return email.startsWith(`${name}@`)
}
