import { createSignal } from 'solid-js'
import type { Identity, Visitor } from '../contract.ts'
import { type KeptValues, newClientId } from './kept-values.ts'
import { ApiProblem, type VisitorApi } from './visitor-api.ts'

/**
 * Who the visitor is. Everything else that is stored has `epoch` in its name, so that writing a new record drops the messages,
 * drafts and token of the user before in one step, in every tab.
 */
interface SessionRecord {
  epoch: string
  /** `user:<id>` for a user whom the website has signed in, empty for everyone else. */
  user: string
  token: string
  visitor: Visitor | null
}

const RECORD = 'session'
const NOBODY: SessionRecord = { epoch: '0', user: '', token: '', visitor: null }

export type VisitorSession = ReturnType<typeof createVisitorSession>

export function createVisitorSession(of: {
  api: () => VisitorApi
  kept: KeptValues
  /** The record changed: `isOther` says whether it is another person's. */
  onChange(change: { isOther: boolean; was: string; wasUser: boolean }): void
}) {
  const { kept } = of
  let record = kept.read<SessionRecord>(RECORD) ?? NOBODY
  const [given, setGiven] = createSignal<Identity>({})

  function set(next: SessionRecord): void {
    const before = record
    record = next
    kept.write(RECORD, next)
    announce(before)
  }

  function announce(before: SessionRecord): void {
    const isOther = before.epoch !== record.epoch
    of.onChange({ isOther, was: before.epoch, wasUser: before.user !== '' })
  }

  function switchTo(user: string): void {
    set({ epoch: newClientId(), user, token: '', visitor: null })
  }

  async function signIn(): Promise<void> {
    const { epoch } = record
    const answer = await of.api().call<{ token?: string; visitor: Visitor }>('POST', 'session', {
      ...given(),
      page: currentPage(),
      language: navigator.language,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    })
    if (record.epoch !== epoch) return
    set({ ...record, token: answer.token ?? record.token, visitor: answer.visitor })
  }

  return {
    epoch: () => record.epoch,
    token: (): string | undefined => record.token || undefined,
    visitor: () => record.visitor,
    isUser: () => record.user !== '',
    /** From the page, for the session that the first message makes. */
    given,

    /** Makes a session if there is none. */
    async require(): Promise<void> {
      if (!record.token) await signIn()
    },

    async identify(identity: Identity): Promise<void> {
      const user = userOf(identity)
      const { jwt, userId, userHash, name, email } = identity
      setGiven({ jwt, userId: userId === undefined ? userId : String(userId), userHash, name, email })
      if (user === '') {
        // A typed name and address. They are sent with the first message, or now if there is a session.
        if (record.user === '' && record.token) {
          const answer = await of.api().call<{ visitor: Visitor }>('PATCH', 'visitor', { name, email })
          set({ ...record, visitor: answer.visitor })
        }
        return
      }
      if (user !== record.user) switchTo(user)
      try {
        await signIn()
      } catch (error) {
        if (error instanceof ApiProblem && !error.isTemporary) {
          console.error(`Bellhop: the user wasn't identified. ${error.message}`)
          setGiven({})
          switchTo('')
        }
        throw error
      }
    },

    logout(): void {
      // With the token of before, and not waited for: the view is gone at once.
      if (record.token) void ignore(of.api().call('DELETE', 'session'))
      setGiven({})
      switchTo('')
    },

    /** The server doesn't know the token anymore. */
    expire: () => set({ ...record, token: '', visitor: null }),
    setVisitor: (visitor: Visitor) => set({ ...record, visitor }),

    /** Another tab has changed the record. */
    reread(): void {
      const before = record
      record = kept.read<SessionRecord>(RECORD) ?? NOBODY
      if (before.epoch !== record.epoch) setGiven({})
      announce(before)
    },
  }
}

/** The page that the visitor is on. What follows `#` stays in the browser. */
export function currentPage(): { url: string; title: string } {
  return { url: location.href.replace(/#.*/s, '').slice(0, 2_000), title: document.title.slice(0, 200) }
}

export async function ignore(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch {
    // Not worth a message: nothing that the visitor wrote depends on it.
  }
}

/** Only a signed identity is a user. The server checks the signature; this only tells users apart. */
function userOf({ jwt, userId, userHash }: Identity): string {
  if (jwt) return `user:${subjectOf(jwt) ?? jwt}`
  return userId !== undefined && userHash ? `user:${userId}` : ''
}

function subjectOf(jwt: string): string | undefined {
  try {
    const [, payload = ''] = jwt.split('.')
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (char) =>
      char.charCodeAt(0),
    )
    const { sub } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}
