import { isoTime } from '../wire.ts'
import type { Settings } from './settings.ts'

export function viewOrganization({ createdAt, ...settings }: Settings) {
  return { ...settings, createdAt: isoTime(createdAt) }
}
