import { ApiProblem } from '../../api/api-problem.ts'

/**
 * Ids of the attachments that the server no longer has as uploads of the agent, so that it refused a message or draft.
 * Undefined if it refused for another reason.
 */
export function goneFiles(error: unknown, attachments: { id: string }[]): string[] | undefined {
  if (!(error instanceof ApiProblem)) return undefined
  const gone = error.errors.filter(({ code }) => code === 'unknown_attachment')
  if (gone.length === 0) return undefined
  return attachments.flatMap(({ id }, at) =>
    gone.some(({ pointer }) => pointer === `/attachments/${at}`) ? [id] : [],
  )
}

export function goneFilesMessage(names: string[]): string {
  const [one, ...others] = names
  return others.length === 0
    ? `“${one}” can't be sent. It was sent from another tab, or deleted after a day. Attach it again if needed.`
    : `${names.length} files can't be sent. They were sent from another tab, or deleted after a day. Attach them again if needed.`
}
