import { createSignal, onCleanup, untrack } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { goneFiles, goneFilesMessage } from '../attachments/attachment-type.ts'
import type { FilesDraft } from '../attachments/draft-files.tsx'
import { createUploadQueue } from '../attachments/upload-queue.ts'
import { withFile, without, withoutFile } from '../draft/draft-content.ts'
import type { MailDraft } from './outgoing-mail.ts'

/** The files of an email outside of a ticket's composer. */
interface MailFiles extends FilesDraft {
  add: (files: File[]) => void
  /** Why it can't be sent with these files. */
  fault: () => string | undefined
  /** Waits for the uploads. Returns false if one failed or was canceled, so that nothing is sent without it. */
  settle: () => Promise<boolean>
  /** Ids for the request. */
  body: () => { attachments?: string[] }
  /** Removes files that the server refused because it no longer has them. Returns the message to show. */
  dropGone: (error: unknown) => string | undefined
}

/** Uploads that aren't finished when the form closes are canceled. */
export function createMailFiles({ mail, change }: MailDraft): MailFiles {
  const session = useSession()
  const { limits } = session()
  const attachments = () => mail().attachments
  const [isCancelled, setCancelled] = createSignal(false)
  let onEnded: (isComplete: boolean) => void = () => {}
  const queue = createUploadQueue({
    attachedCount: () => untrack(attachments).length,
    onUploaded: (file) => change({ attachments: withFile(untrack(attachments), file) }),
    onEnded: (isComplete) => onEnded(isComplete),
  })
  onCleanup(queue.cancelAll)

  return {
    state: mail,
    uploads: () => queue,
    attach: (file) => change({ attachments: withFile(attachments(), file) }),
    removeFile: (id) => change(withoutFile(mail(), id)),
    cancelSend: () => void setCancelled(true),
    add: (files) => queue.add(files, limits),
    fault() {
      const failed = queue.fault()
      if (failed !== undefined) return failed
      const excess = attachments().length - limits.attachmentsPerMessage
      return excess > 0 ? `Too many files: remove ${excess}.` : undefined
    },
    async settle() {
      setCancelled(false)
      if (!queue.isBusy()) return !queue.hasFailed()
      const isComplete = await new Promise<boolean>((resolve) => {
        onEnded = resolve
      })
      return isComplete && !isCancelled()
    },
    body() {
      const ids = attachments().map(({ id }) => id)
      return ids.length === 0 ? {} : { attachments: ids }
    },
    dropGone(error) {
      const gone = goneFiles(error, attachments())?.map((id) => ({ id }))
      if (!gone || gone.length === 0) return undefined
      const left = without(attachments(), gone)
      const names = without(attachments(), left).map(({ name }) => name)
      change({ attachments: left })
      return goneFilesMessage(names)
    },
  }
}
