import type { saveLater } from './draft-saving.ts'
import { type Attempt, joined, type StoredDraft } from './stored-draft.ts'

interface Sending {
  draft: () => StoredDraft
  keep: (next: StoredDraft) => void
  change: (next: Partial<StoredDraft>) => void
  take: (next: StoredDraft) => void
  saving: ReturnType<typeof saveLater>
}

/** A draft between Send and arrived: out of the field, and back in it when it was refused or taken back. */
export function sendingOf({ draft, keep, change, take, saving }: Sending) {
  /** This tab sends, and knows best. */
  let isSending = false

  return {
    isSending: () => isSending,
    async begin(after: string): Promise<Attempt> {
      isSending = true
      const { text, attempt: before } = draft()
      const known = before ?? { key: newKey(), after, tried: [] }
      const attempt = { ...known, tried: [...known.tried, text], isOut: true }
      keep({ ...draft(), text: '', isDirty: false, attempt })
      await saving.settle()
      return attempt
    },
    gone(sent: string) {
      isSending = false
      const { text, attempt } = draft()
      const isInField = !attempt?.isOut && text.startsWith(sent)
      const rest = isInField ? text.slice(sent.length).trimStart() : text
      take({ ...draft(), text: rest, base: null, attempt: null, isDirty: isInField || rest !== '' })
      if (draft().isDirty) saving.soon()
    },
    putBack(text: string, attempt: Attempt | null) {
      isSending = false
      change({ text: joined(text, draft().text), attempt: attempt && { ...attempt, isOut: false } })
    },
    drop() {
      isSending = false
      change({ attempt: null })
    },
  }
}

/** `crypto.randomUUID` exists on secure pages only, and not every server has a certificate. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
}
