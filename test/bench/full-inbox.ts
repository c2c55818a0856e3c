import { Database } from 'bun:sqlite'
import { fillLists, fillTickets, type Workspace } from './workspace.ts'

// A workspace as its agents have it after a year: most tickets are resolved, some words are in every message, most in few.

const TAGS = 20
const WORDS = 20_000
const WORDS_EACH = 30
const MESSAGES_EACH = 3

/** One in twenty is open, a fifth of everything is the agent's, each has one of twenty tags and three messages. */
export function fillInbox(workspace: Workspace, howMany: number, agentId: string): void {
  fillTickets(workspace, howMany)
  const database = new Database(workspace.file)
  database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000; BEGIN')
  const number = 'cast(substr(id, 5) as integer)'
  database.exec(`
    UPDATE tickets SET
      status = CASE WHEN ${number} % 20 = 0 THEN 'open' WHEN ${number} % 50 = 1 THEN 'pending' ELSE 'resolved' END,
      assigned_to = CASE ${number} % 7 WHEN 0 THEN '' WHEN 1 THEN '${agentId}' ELSE assigned_to END,
      place = (${number} % 1000 = 7),
      tags = json_array('tag' || (${number} % ${TAGS}));`)
  fillLists(database)
  fillMessages(database, workspace.orgId, howMany)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function fillMessages(database: Database, orgId: string, howMany: number): void {
  const insert = database.query(
    `INSERT INTO messages (id, org_id, ticket_id, role, text, sending, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let ticket = 1; ticket <= howMany; ticket += 1) {
    for (let place = 0; place < MESSAGES_EACH; place += 1) {
      const number = ticket * MESSAGES_EACH + place
      const isAgent = place === 1
      const sending = isAgent ? (ticket % 2_000 === 0 ? 'failed' : 'sent') : null
      const digits = String(number).padStart(26, '0')
      const at = 1_700_000_000_000 + ticket * 1_000 + place
      const ticketId = `tkt_${String(ticket).padStart(26, '0')}`
      const values = [
        `msg_${digits}`,
        orgId,
        ticketId,
        isAgent ? 'agent' : 'customer',
        textOf(number),
        sending,
        at,
      ]
      insert.run(...values)
    }
  }
}

/** Words as they are in a language: the n-th is n times rarer than the first. */
function textOf(number: number): string {
  let state = number
  const words = Array.from({ length: WORDS_EACH }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return wordNumber(Math.floor(WORDS ** (state / 2 ** 32)) - 1)
  })
  return `Hello, ${words.join(' ')}.`
}

/** A pronounceable word for each number. */
function wordNumber(number: number): string {
  const [consonants, vowels] = ['bdfgklmnprstvz', 'aeiou']
  let word = ''
  let left = number + 100
  while (left > 0) {
    word += `${consonants[left % 14]}${vowels[Math.floor(left / 14) % 5]}`
    left = Math.floor(left / 70)
  }
  return word
}
