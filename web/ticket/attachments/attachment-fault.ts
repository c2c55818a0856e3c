import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { attachmentUrl } from './attachment-type.ts'

/** Why a file can't be read, such as that it is missing on the server. Undefined if it can. */
export async function attachmentFault(id: string): Promise<string | undefined> {
  try {
    // Its first byte: the server checks all of the file.
    await ask(api.v1.attachments({ id }).get({ headers: { range: 'bytes=0-0' } }))
    return undefined
  } catch (error) {
    return errorMessage(error)
  }
}

/** Saves a file. Returns why it can't be read, instead of a failed download that says nothing. */
export async function downloadAttachment({
  id,
  name,
}: {
  id: string
  name: string
}): Promise<string | undefined> {
  const fault = await attachmentFault(id)
  if (fault !== undefined) return fault
  const link = document.createElement('a')
  link.href = attachmentUrl(id)
  link.download = name
  link.click()
  return undefined
}
