import { ROLES } from '../agents/agent-data.ts'
import { ACTIONS } from './actions.ts'
import type { AuditEntry } from './audit-data.ts'

const FIELDS: Record<string, string> = {
  name: 'name',
  reopens: 'reopening',
  assignOnReply: 'assigning on reply',
  publicName: 'public name',
  website: 'website',
  signature: 'signature',
}

/** The action in words. Falls back to its id. */
export function actionWords({ action }: Pick<AuditEntry, 'action'>): string {
  return ACTIONS[action] ?? action.replaceAll(/[._]/g, ' ')
}

/** What was affected and how, unless the action already says so. */
export function subjectWords({ action, subject, detail, actor }: AuditEntry): string {
  const more = detailWords(action, detail ?? {})
  // "Signed in ana@example.com" would repeat the actor.
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
      return typeof detail.to === 'string' ? `to “${detail.to}”` : ''
    case 'tag.renamed': {
      const views = detail.changedViews ? `, also in ${counted(detail.changedViews, 'saved view')}` : ''
      return typeof detail.to === 'string' ? `to “${detail.to}”${views}` : ''
    }
    case 'session.others_revoked':
      return counted(detail.ended, 'device')
    case 'customer.deleted':
      return `with ${counted(detail.deletedTickets, 'ticket')}${viewWords(detail.changedViews)}`
    case 'endpoint.failed_resent':
      return typeof detail.since === 'string' ? `since ${new Date(detail.since).toLocaleString()}` : ''
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

function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`
}

function viewWords(count: unknown): string {
  return count ? `, removed from ${counted(count, 'saved view')}` : ''
}

function roleWord(role: unknown): string {
  return ROLES.find(({ value }) => value === role)?.label.toLowerCase() ?? String(role)
}
