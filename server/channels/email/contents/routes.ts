import { Elysia, t } from 'elysia'
import { findAttachmentsOf } from '../../../attachments/queries.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { strictQuery } from '../../../requests/query.ts'
import { orNull } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { originalResponse } from '../ledger/ledger.ts'
import { createMailDialer } from '../mail-account.ts'
import { readContents } from './message-contents.ts'
import { loadRemoteImage } from './remote-image.ts'

const MAX_URL_LENGTH = 8_192

const path = t.Object({ id: t.String(), messageId: t.String() })
const contents = t.Object({ quoted: orNull(t.String()), hasHtml: t.Boolean(), hasOriginal: t.Boolean() })
const frameQuery = t.Object(
  {
    images: t.Optional(t.Union([t.Literal('all'), t.Literal('own')])),
    quote: t.Optional(t.Union([t.Literal('shown'), t.Literal('hidden')])),
  },
  { additionalProperties: false },
)
const imageQuery = t.Object(
  {
    url: t.Optional(t.String({ maxLength: MAX_URL_LENGTH })),
    signature: t.Optional(t.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
)

/** What a thread loads of a mail when an agent asks for it: quoted text, HTML in a frame, its images, the original. */
export function contentRoutes(deps: Deps, guard: AgentGuard) {
  let dialer: ReturnType<typeof createMailDialer> | undefined
  const of = (params: typeof path.static) => ({ ticketId: params.id, id: params.messageId })
  return new Elysia({ name: 'channels/contents', prefix: '/console/tickets/:id/messages/:messageId' })
    .use(guard.requireAgent)
    .get(
      '/contents',
      async ({ me, params }) => {
        const { quoted, html, mailId } = await readContents(deps, me.orgId, of(params))
        return { quoted, hasHtml: html !== null, hasOriginal: mailId !== null }
      },
      { transform: strictQuery(), params: path, response: { 200: contents } },
    )
    .get(
      '/frame',
      async ({ me, params, query }) => {
        const { html } = await readContents(deps, me.orgId, of(params))
        if (html === null) throw notFound('message')
        const owner = { orgId: me.orgId, ownerId: params.messageId }
        const { FRAME_POLICY, framePage } = await import('./frame-page.ts')
        const files = await findAttachmentsOf(deps.database.read, owner)
        const own = new Map(files.map(({ contentId, id }) => [contentId, id]))
        const page = framePage(html, {
          isQuoteShown: query.quote !== 'hidden',
          ofContentId: (contentId) =>
            own.has(contentId) ? `/v1/attachments/${own.get(contentId)}` : undefined,
          ofUrl: (url) => (query.images === 'all' ? imageAddress(deps, params, url) : undefined),
        })
        return new Response(page, {
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'content-security-policy': FRAME_POLICY,
            'x-content-type-options': 'nosniff',
            'referrer-policy': 'no-referrer',
            'cache-control': 'no-store',
          },
        })
      },
      { transform: strictQuery(frameQuery), params: path, query: frameQuery },
    )
    .get(
      '/image',
      async ({ me, params, query: { url = '', signature = '' }, request }) => {
        await readContents(deps, me.orgId, of(params))
        // Only URLs that are in a frame of this message: the server fetches no others.
        if (!deps.encryption.isSigned('remote image', `${params.messageId} ${url}`, signature)) {
          throw notFound('image')
        }
        dialer ??= createMailDialer(deps)
        const { type, bytes } = await loadRemoteImage({ clock: deps.clock, dialer }, url, request.signal)
        return new Response(new Uint8Array(bytes), {
          headers: {
            'content-type': type,
            'x-content-type-options': 'nosniff',
            'content-security-policy': "default-src 'none'; sandbox",
            'cache-control': 'no-store',
          },
        })
      },
      { transform: strictQuery(imageQuery), params: path, query: imageQuery },
    )
    .get(
      '/original',
      async ({ me, params }) => {
        const { mailId } = await readContents(deps, me.orgId, of(params))
        if (mailId === null) throw notFound('mail')
        return originalResponse(deps, me.orgId, mailId)
      },
      { transform: strictQuery(), params: path },
    )
}

function imageAddress({ encryption }: Deps, { id, messageId }: typeof path.static, url: string): string {
  const signature = encryption.sign('remote image', `${messageId} ${url}`)
  const query = new URLSearchParams({ url, signature })
  return `/console/tickets/${id}/messages/${messageId}/image?${query}`
}
