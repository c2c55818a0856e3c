import type { Answer, api } from '../../api/api.ts'

export type AuditEntry = Answer<typeof api.console.audit.get>['data'][number]

/** The name of every recorded action, in the log and its filter. */
export const ACTIONS: Record<string, string> = {
  'agent.signed_in': 'Signed in',
  'agent.sign_in_failed': 'Failed to sign in',
  'agent.invited': 'Invited an agent',
  'agent.created': 'Added an agent',
  'agent.link_made': 'Created a link for an agent',
  'agent.password_set': 'Set a password',
  'agent.renamed': 'Renamed an agent',
  'agent.signature_changed': 'Changed their signature',
  'agent.picture_changed': 'Changed the picture of a program',
  'agent.role_changed': 'Changed a role',
  'agent.disabled': 'Disabled an agent',
  'agent.enabled': 'Enabled an agent',
  'session.revoked': 'Signed out a device',
  'session.others_revoked': 'Signed out other devices',
  'organization.created': 'Set up the organization',
  'organization.changed': 'Changed the organization',
  'api_key.created': 'Created an API key',
  'api_key.revoked': 'Revoked an API key',
  'program.connected': 'Connected a program',
  'program.disconnected': 'Disconnected a program',
  'endpoint.created': 'Registered an endpoint',
  'endpoint.changed': 'Changed an endpoint',
  'endpoint.enabled': 'Turned on an endpoint',
  'endpoint.disabled': 'Turned off an endpoint',
  'endpoint.deleted': 'Deleted an endpoint',
  'endpoint.failed_resent': 'Resent failed deliveries',
  'endpoint.replayed': 'Replayed events',
  'delivery.resent': 'Resent a delivery',
  'endpoint.secret_staged': 'Staged a signing secret',
  'endpoint.secret_promoted': 'Promoted a signing secret',
  'endpoint.secret_cancelled': 'Discarded a staged secret',
  'endpoint.secret_rotated': 'Replaced a signing secret',
  'mailbox.created': 'Added a mailbox',
  'mailbox.changed': 'Changed a mailbox',
  'mailbox.paused': 'Paused a mailbox',
  'mailbox.resumed': 'Resumed a mailbox',
  'mailbox.made_default': 'Changed the default mailbox',
  'mailbox.removed': 'Removed a mailbox',
  'mailbox.signed_in': 'Signed in to a mailbox',
  'mailbox.sign_in_failed': 'Failed to sign in to a mailbox',
  'mailbox.refused': 'Stopped a mailbox, because the sign-in was refused',
  'mail.made_ticket': 'Made a ticket of a received email',
  'mail.parsed_again': 'Parsed a received email again',
  'widget.created': 'Created a widget',
  'widget.changed': 'Changed a widget',
  'widget.paused': 'Paused a widget',
  'widget.resumed': 'Resumed a widget',
  'widget.key_rotated': 'Replaced the key of a widget',
  'widget.identity_secret_rotated': 'Replaced the identity secret of a widget',
  'widget.removed': 'Removed a widget',
  'visitor.blocked': 'Blocked a visitor',
  'visitor.unblocked': 'Unblocked a visitor',
  'address.blocked': 'Blocked an IP address',
  'address.unblocked': 'Unblocked an IP address',
  'bot.created': 'Added a Telegram bot',
  'bot.changed': 'Changed a Telegram bot',
  'bot.token_changed': 'Replaced the token of a Telegram bot',
  'bot.checked': 'Checked a Telegram bot',
  'bot.missed_dismissed': 'Dismissed a notice on a Telegram bot',
  'bot.paused': 'Paused a Telegram bot',
  'bot.resumed': 'Resumed a Telegram bot',
  'bot.refused': 'Stopped a Telegram bot, because its token was refused',
  'bot.webhook_removed': 'Removed a webhook from a Telegram bot',
  'bot.removed': 'Removed a Telegram bot',
  'oauth_client.saved': 'Changed an OAuth client',
  'oauth_client.removed': 'Removed an OAuth client',
  'saved_reply.created': 'Created a saved reply',
  'saved_reply.changed': 'Changed a saved reply',
  'saved_reply.deleted': 'Deleted a saved reply',
  'tag.renamed': 'Renamed a tag',
  'tag.removed': 'Removed a tag',
  'ticket.deleted': 'Permanently deleted a ticket',
  'customer.deleted': 'Permanently deleted a customer',
} satisfies Record<AuditEntry['action'], string>

const FIELDS: Record<string, string> = {
  name: 'name',
  reopens: 'reopening',
  assignOnReply: 'assigning on reply',
  publicName: 'public name',
  website: 'website',
  signature: 'signature',
  shownMetadata: 'metadata to show',
  emailsApiTickets: 'email for API tickets',
  address: 'address',
  signIn: 'sign-in',
  aliases: 'aliases',
  imap: 'IMAP server',
  smtp: 'SMTP server',
  folders: 'folders',
  sentFolder: 'folder for sent mail',
  defaultAssignee: 'default assignee',
  autoReply: 'automatic reply',
  password: 'password',
  origins: 'websites',
  appearance: 'appearance',
  questions: 'questions',
  hours: 'opening hours',
  verifiedOnly: 'who can write',
  authservId: 'sender checks',
  hasSubaddresses: 'answer address',
  hasSubjectTokens: 'subject tokens',
  dkim: 'DKIM',
  telegramBotId: 'Telegram bot',
  greeting: 'greeting',
  newTicketAfterDays: 'new tickets',
  showsTyping: 'typing',
  receives: 'receiving',
  token: 'token',
}

/** Why a program's access ended, unless someone ended it here. */
const DISCONNECTED: Record<string, string> = {
  program: 'as the program asked',
  reuse: 'because its code or refresh token was used twice',
  limit: 'to make room for another one',
}

export function isAction(action: string | undefined): action is AuditEntry['action'] {
  return action !== undefined && action in ACTIONS
}

/** The action in words. Falls back to its id. */
export function actionText({ action }: Pick<AuditEntry, 'action'>): string {
  return ACTIONS[action] ?? action.replaceAll(/[._]/g, ' ')
}

/** What was affected and how, unless the action already says so. */
export function subjectText({ action, subject, detail, actor }: AuditEntry): string {
  const more = detailText(action, detail ?? {})
  // "Signed in ana@example.com" would repeat the actor.
  const isOwn = subject?.id !== undefined && subject.id === actor.id
  const isSaid = isOwn || action === 'organization.changed'
  return [isSaid ? '' : (subject?.label ?? ''), more].filter(Boolean).join(' ')
}

function detailText(action: string, detail: Record<string, unknown>): string {
  switch (action) {
    case 'agent.role_changed':
      return `from ${roleText(detail.from)} to ${roleText(detail.to)}`
    case 'agent.invited':
    case 'agent.created':
      return `as ${roleText(detail.role)}`
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
      return `with ${counted(detail.deletedTickets, 'ticket')}${viewText(detail.changedViews)}`
    case 'endpoint.failed_resent':
    case 'endpoint.replayed':
      return typeof detail.since === 'string' ? `since ${new Date(detail.since).toLocaleString()}` : ''
    case 'api_key.created': {
      const scopes = Array.isArray(detail.scopes) ? `with ${detail.scopes.join(', ')}` : ''
      return detail.program ? `that acts as ${String(detail.program)} ${scopes}`.trim() : scopes
    }
    case 'program.connected':
      return Array.isArray(detail.scopes) ? `of ${String(detail.host)} with ${detail.scopes.join(', ')}` : ''
    case 'program.disconnected':
      return DISCONNECTED[String(detail.by)] ?? ''
    case 'mailbox.changed':
    case 'widget.changed':
    case 'bot.changed':
      return Array.isArray(detail.fields) ? detail.fields.map(fieldText).join(', ') : ''
    case 'organization.changed':
      return Object.keys(detail).map(fieldText).join(', ')
    default:
      return ''
  }
}

function fieldText(field: unknown): string {
  return FIELDS[String(field)] ?? String(field)
}

function counted(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`
}

function viewText(count: unknown): string {
  return count ? `, removed from ${counted(count, 'saved view')}` : ''
}

function roleText(role: unknown): string {
  return role === 'admin' ? 'administrator' : String(role)
}
