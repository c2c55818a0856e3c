/** In the order of the navigation. */
export const GUIDE_GROUPS = ['Get started', 'API', 'Operate'] as const
type GuideGroup = (typeof GUIDE_GROUPS)[number]

export interface Guide {
  group: GuideGroup
  /** Last part of its address: `webhooks` for `/docs/webhooks`. */
  slug: string
  /** In the navigation; the heading in the text may say more. */
  title: string
  /** Reads the Markdown, at the first request for it. */
  load: () => Promise<{ default: string }>
}

/** In the order of the navigation. */
export const GUIDES: Guide[] = [
  {
    group: 'Get started',
    slug: 'install',
    title: 'Install',
    load: () => import('./guides/install.md', { with: { type: 'text' } }),
  },
  {
    group: 'Get started',
    slug: 'inbox',
    title: 'Inbox',
    load: () => import('./guides/inbox.md', { with: { type: 'text' } }),
  },
  {
    group: 'Get started',
    slug: 'email',
    title: 'Connect your mailbox',
    load: () => import('./guides/email.md', { with: { type: 'text' } }),
  },
  {
    group: 'Get started',
    slug: 'widget',
    title: 'Add the chat to your website',
    load: () => import('./guides/widget.md', { with: { type: 'text' } }),
  },
  {
    group: 'Get started',
    slug: 'telegram',
    title: 'Connect a Telegram bot',
    load: () => import('./guides/telegram.md', { with: { type: 'text' } }),
  },
  {
    group: 'API',
    slug: 'api',
    title: 'Use the API',
    load: () => import('./guides/api.md', { with: { type: 'text' } }),
  },
  {
    group: 'API',
    slug: 'webhooks',
    title: 'Webhooks',
    load: () => import('./guides/webhooks.md', { with: { type: 'text' } }),
  },
  {
    group: 'API',
    slug: 'errors',
    title: 'Errors',
    load: () => import('./guides/errors.md', { with: { type: 'text' } }),
  },
  {
    group: 'API',
    slug: 'limits',
    title: 'Limits',
    load: () => import('./guides/limits.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'operations',
    title: 'Operations',
    load: () => import('./guides/operations.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'proxy',
    title: 'Behind a proxy',
    load: () => import('./guides/proxy.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'monitoring',
    title: 'Monitoring',
    load: () => import('./guides/monitoring.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'backup',
    title: 'Back up and restore',
    load: () => import('./guides/backup.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'export',
    title: 'Export and import',
    load: () => import('./guides/export.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'sizes',
    title: 'Sizes',
    load: () => import('./guides/sizes.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'settings',
    title: 'Settings',
    load: () => import('./guides/settings.md', { with: { type: 'text' } }),
  },
  {
    group: 'Operate',
    slug: 'commands',
    title: 'Commands',
    load: () => import('./guides/commands.md', { with: { type: 'text' } }),
  },
]
