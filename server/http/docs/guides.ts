/** Reads the Markdown, at the first request for it. */
type Load = () => Promise<{ default: string }>

export interface Guide {
  /** Last part of its address: `webhooks` for `/docs/webhooks`. */
  slug: string
  /** In the navigation; the heading in the text may say more. */
  title: string
  load: Load
}

/** In the order of the navigation. */
export const GUIDES_BY_GROUP: Record<'Get started' | 'API' | 'Operate', Guide[]> = {
  'Get started': [
    guide('install', 'Install', () => import('./guides/install.md', { with: { type: 'text' } })),
    guide('inbox', 'Inbox', () => import('./guides/inbox.md', { with: { type: 'text' } })),
    guide(
      'notifications',
      'Notifications',
      () => import('./guides/notifications.md', { with: { type: 'text' } }),
    ),
    guide('email', 'Connect your mailbox', () => import('./guides/email.md', { with: { type: 'text' } })),
    guide(
      'widget',
      'Add the chat to your website',
      () => import('./guides/widget.md', { with: { type: 'text' } }),
    ),
    guide(
      'telegram',
      'Connect a Telegram bot',
      () => import('./guides/telegram.md', { with: { type: 'text' } }),
    ),
  ],
  API: [
    guide('api', 'Use the API', () => import('./guides/api.md', { with: { type: 'text' } })),
    guide('mirror', 'Mirror everything', () => import('./guides/mirror.md', { with: { type: 'text' } })),
    guide(
      'channel',
      'A channel of your own',
      () => import('./guides/channel.md', { with: { type: 'text' } }),
    ),
    guide(
      'suggest',
      'A program that suggests',
      () => import('./guides/suggest.md', { with: { type: 'text' } }),
    ),
    guide(
      'connect',
      'Connect Claude, ChatGPT, Cursor',
      () => import('./guides/connect.md', { with: { type: 'text' } }),
    ),
    guide('mcp', 'Tools for AI models', () => import('./guides/mcp.md', { with: { type: 'text' } })),
    guide('move', 'Move from another desk', () => import('./guides/move.md', { with: { type: 'text' } })),
    guide('webhooks', 'Webhooks', () => import('./guides/webhooks.md', { with: { type: 'text' } })),
    guide('errors', 'Errors', () => import('./guides/errors.md', { with: { type: 'text' } })),
    guide('limits', 'Limits', () => import('./guides/limits.md', { with: { type: 'text' } })),
    guide('changelog', 'Changelog', () => import('./guides/changelog.md', { with: { type: 'text' } })),
  ],
  Operate: [
    guide('operations', 'Operations', () => import('./guides/operations.md', { with: { type: 'text' } })),
    guide('proxy', 'Behind a proxy', () => import('./guides/proxy.md', { with: { type: 'text' } })),
    guide('nodes', 'More than one machine', () => import('./guides/nodes.md', { with: { type: 'text' } })),
    guide(
      'connected-programs',
      'Connected programs',
      () => import('./guides/connected-programs.md', { with: { type: 'text' } }),
    ),
    guide('monitoring', 'Monitoring', () => import('./guides/monitoring.md', { with: { type: 'text' } })),
    guide('backup', 'Back up and restore', () => import('./guides/backup.md', { with: { type: 'text' } })),
    guide('export', 'Export and import', () => import('./guides/export.md', { with: { type: 'text' } })),
    guide(
      'postgresql',
      'Move to PostgreSQL',
      () => import('./guides/postgresql.md', { with: { type: 'text' } }),
    ),
    guide('sizes', 'Sizes', () => import('./guides/sizes.md', { with: { type: 'text' } })),
    guide('settings', 'Settings', () => import('./guides/settings.md', { with: { type: 'text' } })),
    guide('commands', 'Commands', () => import('./guides/commands.md', { with: { type: 'text' } })),
  ],
}

export const GUIDES = Object.values(GUIDES_BY_GROUP).flat()

function guide(slug: string, title: string, load: Load): Guide {
  return { slug, title, load }
}
