import type { Answer, api } from './api.ts'

type ConnectedProgram = Answer<(typeof api.console)['connected-programs']['get']>['data'][number]
type Scope = ConnectedProgram['scopes'][number]

/** What each lets a connected program do. Others than these are never offered. */
const ABILITIES: Partial<Record<Scope, { label: string; hint: string }>> = {
  'tickets:read': { label: 'Read tickets', hint: 'With their messages, attachments and tags.' },
  'tickets:write': { label: 'Change tickets', hint: 'Create, assign, tag and resolve them.' },
  'messages:write': {
    label: 'Send messages',
    hint: 'To customers, in your name, without asking you. With “Change tickets”, also to any other email address: it can create a ticket for it.',
  },
  'notes:read': { label: 'Read internal notes', hint: 'What agents write for each other.' },
  'notes:write': { label: 'Add internal notes', hint: 'In your name.' },
  'customers:read': { label: 'Read customers', hint: 'Their addresses, and what agents know of them.' },
  'agents:read': { label: 'Read email addresses of agents', hint: 'Everyone in your organization.' },
  'suggestions:write': { label: 'Suggest answers', hint: 'An agent decides what is sent.' },
}

/** For people. */
export function abilityOf(scope: Scope): { label: string; hint?: string } {
  return ABILITIES[scope] ?? { label: scope }
}
