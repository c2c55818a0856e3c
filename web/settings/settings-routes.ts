import ArchiveRestore from 'lucide-solid/icons/archive-restore'
import Blocks from 'lucide-solid/icons/blocks'
import Building from 'lucide-solid/icons/building'
import CircleUserRound from 'lucide-solid/icons/circle-user-round'
import KeyRound from 'lucide-solid/icons/key-round'
import ListChecks from 'lucide-solid/icons/list-checks'
import Logs from 'lucide-solid/icons/logs'
import Mail from 'lucide-solid/icons/mail'
import MailOpen from 'lucide-solid/icons/mail-open'
import MessageCircle from 'lucide-solid/icons/message-circle'
import ScrollText from 'lucide-solid/icons/scroll-text'
import Send from 'lucide-solid/icons/send'
import Stethoscope from 'lucide-solid/icons/stethoscope'
import Tag from 'lucide-solid/icons/tag'
import TextQuote from 'lucide-solid/icons/text-quote'
import Users from 'lucide-solid/icons/users'
import Webhook from 'lucide-solid/icons/webhook'
import type { Component } from 'solid-js'
import { AccountPage } from './account/account-page.tsx'
import { ConnectedProgramsPage } from './account/connected-programs-page.tsx'
import { OwnPage } from './account/notifications-page.tsx'
import { AgentsPage } from './agents/agents-page.tsx'
import { AuditPage } from './audit/audit-page.tsx'
import { BackupsPage } from './backups-page.tsx'
import { BotPage } from './bots/bot-page.tsx'
import { BotsPage } from './bots/bots-page.tsx'
import { DeliveriesPage } from './deliveries/deliveries-page.tsx'
import { DeliveryPage } from './deliveries/delivery-page.tsx'
import { DoctorPage } from './doctor-page.tsx'
import { EndpointPage } from './endpoints/endpoint-page.tsx'
import { EndpointsPage } from './endpoints/endpoints-page.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { MailboxPage } from './mailboxes/mailbox-page.tsx'
import { MailboxesPage } from './mailboxes/mailboxes-page.tsx'
import { MailPage } from './mails/mail-page.tsx'
import { MailsPage } from './mails/mails-page.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { RepliesPage } from './replies/replies-page.tsx'
import { ReplyPage } from './replies/reply-page.tsx'
import { StartPage } from './start-page.tsx'
import { TagsPage } from './tags-page.tsx'
import { WidgetPage } from './widgets/widget-page.tsx'
import { WidgetsPage } from './widgets/widgets-page.tsx'

export interface SettingsRoute {
  /** The path after `/settings/`. */
  path: string
  title: string
  icon: Component
  isAdminOnly: boolean
  component: Component
  /** The page of a single item: `/settings/<path>/<id>`. */
  detail?: Component<{ id: string }>
}

export interface RouteMatch {
  /** `/settings` itself, where narrow screens show only the menu. */
  isTop: boolean
  /** Undefined for an unknown path. */
  page?: SettingsRoute
  id?: string
}

interface Group {
  title: string
  pages: SettingsRoute[]
}

const account: SettingsRoute = {
  path: 'account',
  title: 'Your account',
  icon: CircleUserRound,
  isAdminOnly: false,
  component: AccountPage,
  detail: OwnPage,
}
const connectedPrograms: SettingsRoute = {
  path: 'connected-programs',
  title: 'Connected programs',
  icon: Blocks,
  isAdminOnly: false,
  component: ConnectedProgramsPage,
}
const organization = admin('organization', 'Organization', Building, OrganizationPage)
const savedReplies: SettingsRoute = {
  path: 'saved-replies',
  title: 'Saved replies',
  icon: TextQuote,
  isAdminOnly: false,
  component: RepliesPage,
  detail: ReplyPage,
}
const start = admin('start', 'Getting started', ListChecks, StartPage)

/** The menu, in order. */
const GROUPS: Group[] = [
  { title: 'Personal', pages: [account, connectedPrograms] },
  {
    title: 'Workspace',
    pages: [
      start,
      organization,
      admin('agents', 'Agents', Users, AgentsPage),
      savedReplies,
      admin('tags', 'Tags', Tag, TagsPage),
      admin('audit', 'Audit log', ScrollText, AuditPage),
      admin('backups', 'Backups', ArchiveRestore, BackupsPage),
      admin('doctor', 'Doctor', Stethoscope, DoctorPage),
    ],
  },
  {
    title: 'Channels',
    pages: [
      admin('widget', 'Website widget', MessageCircle, WidgetsPage, WidgetPage),
      admin('email', 'Email', Mail, MailboxesPage, MailboxPage),
      admin('mails', 'Received mail', MailOpen, MailsPage, MailPage),
      admin('telegram', 'Telegram', Send, BotsPage, BotPage),
    ],
  },
  {
    title: 'Developers',
    pages: [
      admin('keys', 'API keys', KeyRound, KeysPage),
      admin('endpoints', 'Webhook endpoints', Webhook, EndpointsPage, EndpointPage),
      admin('deliveries', 'Delivery log', Logs, DeliveriesPage, DeliveryPage),
    ],
  },
]

/** The groups with the pages this agent can open. "Getting started" is hidden once setup is done. */
export function menuGroups(isAdmin: boolean, { isSetUp = false } = {}): Group[] {
  return GROUPS.map(({ title, pages }) => ({
    title,
    pages: pages.filter((page) => (isAdmin || !page.isAdminOnly) && !(isSetUp && page === start)),
  })).filter(({ pages }) => pages.length > 0)
}

/** The page at a path under `/settings`. */
export function matchRoute(
  pathname: string,
  { isAdmin, isSetUp }: { isAdmin: boolean; isSetUp: boolean | undefined },
): RouteMatch {
  const [path, id, ...rest] = pathname.split('/').slice(2).filter(Boolean)
  if (path === undefined) return { isTop: true, page: isAdmin ? (isSetUp ? organization : start) : account }
  const page = GROUPS.flatMap(({ pages }) => pages).find((one) => one.path === path)
  const isKnown = page && rest.length === 0 && (id === undefined || page.detail)
  return isKnown ? { isTop: false, page, ...(id && { id }) } : { isTop: false }
}

function admin(
  path: string,
  title: string,
  icon: Component,
  component: Component,
  detail?: Component<{ id: string }>,
): SettingsRoute {
  return { path, title, icon, isAdminOnly: true, component, ...(detail && { detail }) }
}
