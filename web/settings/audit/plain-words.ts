import { ROLES } from '../agents/agent-data.ts'
import type { AuditEntry } from './audit-data.ts'

/** What each action is called in the filter. */
export const ACTIONS: Record<string, string> = {
  'agent.signed_in': 'Signed in',
  'agent.invited': 'Invited an agent',
  'agent.created': 'Added an agent',
  'agent.link_made': 'Made a link for an agent',
  'agent.password_set': 'Set a password',
  'agent.renamed': 'Renamed an agent',
  'agent.role_changed': 'Changed a role',
  'agent.disabled': 'Disabled an agent',
  'agent.enabled': 'Enabled an agent',
  'session.revoked': 'Signed a device out',
  'session.others_revoked': 'Signed other devices out',
  'organization.created': 'Set up the organization',
  'organization.changed': 'Changed the organization',
  'api_key.created': 'Created an API key',
  'api_key.revoked': 'Revoked an API key',
  'endpoint.created': 'Registered an endpoint',
  'endpoint.changed': 'Changed an endpoint',
  'endpoint.enabled': 'Switched an endpoint on',
  'endpoint.disabled': 'Switched an endpoint off',
  'endpoint.deleted': 'Deleted an endpoint',
  'endpoint.secret_staged': 'Staged a signing secret',
  'endpoint.secret_promoted': 'Promoted a signing secret',
  'endpoint.secret_cancelled': 'Forgot a staged secret',
  'endpoint.secret_rotated': 'Replaced a signing secret',
  'saved_reply.created': 'Wrote a saved reply',
  'saved_reply.changed': 'Changed a saved reply',
  'saved_reply.deleted': 'Deleted a saved reply',
  'tag.renamed': 'Renamed a tag',
  'tag.removed': 'Removed a tag',
}

const FIELDS: Record<string, string> = {
  name: 'name',
  reopens: 'reopening',
  publicName: 'public name',
  website: 'website',
  signature: 'signature',
}

/** What was done, in words. An action that nobody has put into words yet is said as it is called. */
export function actionWords({ action }: Pick<AuditEntry, 'action'>): string {
  return ACTIONS[action] ?? action.replaceAll(/[._]/g, ' ')
}

/** What it was done to and how, as far as that is not in the action itself. */
export function subjectWords({ action, subject, detail, actor }: AuditEntry): string {
  const more = detailWords(action, detail ?? {})
  // "Signed in ana@example.com" would say nothing new.
  const isOwn = subject?.id !== undefined && subject.id === actor.id
  const isSaid = isOwn || action === 'organization.changed'
  return [isSaid ? '' : (subject?.label ?? ''), more].filter(Boolean).join(' ')
}

function detailWords(action: string, detail: Record<string, unknown>): string {
  switch (action) {
    case 'agent.role_changed':
      return `from ${roleWord(detail.from)} to ${roleWord(detail.to)}`
    case 'agent.invited':
    case 'agent.created':
      return `as ${roleWord(detail.role)}`
    case 'agent.link_made':
      return detail.purpose === 'reset' ? 'to reset the password' : 'to join'
    case 'agent.password_set':
      return detail.by === 'invitation' ? 'by an invitation' : detail.by === 'reset' ? 'by a reset link' : ''
    case 'agent.renamed':
    case 'tag.renamed':
      return typeof detail.to === 'string' ? `to “${detail.to}”` : ''
    case 'session.others_revoked':
      return detail.ended === 1 ? 'one device' : `${String(detail.ended)} devices`
    case 'api_key.created':
      return Array.isArray(detail.scopes) ? `with ${detail.scopes.join(', ')}` : ''
    case 'organization.changed':
      return Object.keys(detail)
        .map((field) => FIELDS[field] ?? field)
        .join(', ')
    default:
      return ''
  }
}

function roleWord(role: unknown): string {
  return ROLES.find(({ value }) => value === role)?.label.toLowerCase() ?? String(role)
}
