export interface Guide {
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
    slug: 'inbox',
    title: 'Inbox',
    load: () => import('./guides/inbox.md', { with: { type: 'text' } }),
  },
  {
    slug: 'email',
    title: 'Connect your mailbox',
    load: () => import('./guides/email.md', { with: { type: 'text' } }),
  },
  {
    slug: 'widget',
    title: 'Add the chat to your website',
    load: () => import('./guides/widget.md', { with: { type: 'text' } }),
  },
  {
    slug: 'telegram',
    title: 'Connect a Telegram bot',
    load: () => import('./guides/telegram.md', { with: { type: 'text' } }),
  },
  {
    slug: 'api',
    title: 'Use the API',
    load: () => import('./guides/api.md', { with: { type: 'text' } }),
  },
  {
    slug: 'errors',
    title: 'Errors',
    load: () => import('./guides/errors.md', { with: { type: 'text' } }),
  },
  {
    slug: 'limits',
    title: 'Limits',
    load: () => import('./guides/limits.md', { with: { type: 'text' } }),
  },
  {
    slug: 'webhooks',
    title: 'Webhooks',
    load: () => import('./guides/webhooks.md', { with: { type: 'text' } }),
  },
  {
    slug: 'install',
    title: 'Install',
    load: () => import('./guides/install.md', { with: { type: 'text' } }),
  },
  {
    slug: 'operations',
    title: 'Operations',
    load: () => import('./guides/operations.md', { with: { type: 'text' } }),
  },
  {
    slug: 'proxy',
    title: 'Behind a proxy',
    load: () => import('./guides/proxy.md', { with: { type: 'text' } }),
  },
  {
    slug: 'monitoring',
    title: 'Monitoring',
    load: () => import('./guides/monitoring.md', { with: { type: 'text' } }),
  },
  {
    slug: 'backup',
    title: 'Back up and restore',
    load: () => import('./guides/backup.md', { with: { type: 'text' } }),
  },
  {
    slug: 'export',
    title: 'Export and import',
    load: () => import('./guides/export.md', { with: { type: 'text' } }),
  },
  {
    slug: 'sizes',
    title: 'Sizes',
    load: () => import('./guides/sizes.md', { with: { type: 'text' } }),
  },
  {
    slug: 'settings',
    title: 'Settings',
    load: () => import('./guides/settings.md', { with: { type: 'text' } }),
  },
  {
    slug: 'commands',
    title: 'Commands',
    load: () => import('./guides/commands.md', { with: { type: 'text' } }),
  },
]
