import type { TSchema } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { AppError } from '../errors.ts'
import { API } from './api-description.ts'
import { INDEX_PATH, REFERENCE_PATH } from './docs/layout.ts'
import { docsPage, EXAMPLE_ADDRESS, markdownPage, textResponse, withServerAddress } from './docs/routes.ts'
import type { DeclaredRoute } from './openapi/describe-operation.ts'

/**
 * Serves `/v1/openapi.json` and the reference page `/docs`, also as Markdown, all generated from the routes of the app that uses this
 * plugin. They are generated at the first request, kept in memory, and sent with an `ETag`. They show the public URL, or
 * the address that the reader uses: most clients can't use a relative one. If a route can't be described, the request
 * fails with an Error that names the cause.
 */
export function openapi(publicUrl?: string): Elysia {
  const app = new DocumentedApp({ name: 'openapi' })
  const documentPath = `${API.prefix}/openapi.json`
  const document = once(async () => {
    const { describeApi } = await import('./openapi/describe.ts')
    return describeApi(app.declaredRoutes(), app.declaredModels(), EXAMPLE_ADDRESS)
  })
  const json = once(async () => JSON.stringify(await document()))
  const page = once(async () => {
    const { renderReference } = await import('./docs/reference.ts')
    return renderReference(await document(), documentPath)
  })
  const markdown = once(async () => {
    const { renderReferenceMarkdown } = await import('./docs/markdown-pages.ts')
    return renderReferenceMarkdown(await document(), { origin: EXAMPLE_ADDRESS, prefix: API.prefix })
  })
  const detail = { hide: true }
  app
    .get(
      documentPath,
      async ({ request }) =>
        textResponse(request, withServerAddress(await json(), request, publicUrl), 'application/json'),
      { detail },
    )
    .get(REFERENCE_PATH, async ({ request }) => docsPage(request, await page(), publicUrl), { detail })
    .get(
      `${REFERENCE_PATH}.md`,
      async ({ request }) => markdownPage(request, (await markdown()).reference, publicUrl),
      { detail },
    )
    .get(
      INDEX_PATH,
      async ({ request }) =>
        markdownPage(request, (await markdown()).index, publicUrl, 'text/plain; charset=utf-8'),
      { detail },
    )
    .get(
      '/docs/operations/:file',
      async ({ request, params: { file }, redirect }) => {
        const name = file.replace(/\.md$/, '')
        const page = (await markdown()).operations.get(name)
        if (page === undefined) {
          throw new AppError(404, 'unknown_route', 'There is no operation with this name.')
        }
        // People read it in its place on the one page of all operations.
        if (name === file) return redirect(`${REFERENCE_PATH}#${name}`)
        return markdownPage(request, page, publicUrl)
      },
      { detail },
    )
  return app
}

/** Elysia exposes its parent's routes and models only to a subclass. */
class DocumentedApp extends Elysia {
  declaredRoutes(): DeclaredRoute[] {
    return this.getGlobalRoutes()
  }

  declaredModels(): Record<string, TSchema> {
    const models = Object.entries(this.getGlobalDefinitions().type)
    return Object.fromEntries(
      models.flatMap(([name, model]) => ('~standard' in model ? [] : [[name, model]])),
    )
  }
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
