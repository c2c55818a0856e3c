import { isoTime } from '../dates.ts'
import type { Settings } from './settings.ts'

export function viewOrganization({ createdAt, ...settings }: Settings) {
  return { ...settings, createdAt: isoTime(createdAt) }
}
