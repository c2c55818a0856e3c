import { isoTime } from '../dates.ts'
import type { SavedReply } from './saved-replies.ts'

export function viewSavedReply({ id, name, text, updatedAt }: SavedReply) {
  return { id, name, text, updatedAt: isoTime(updatedAt) }
}
